// A client written from the description of LMC: it reads lines wherever they are cut, keeps messages, and runs no code itself
// unless told to. Usage: node client.js URL TOKEN QUESTION [OUTPUT]; OUTPUT: what "running" the code printed.
const [url, token, question, output] = process.argv.slice(2);
const messages = [{ role: "user", type: "message", content: question }];
let current = null;
let confirmation = null;
const lines = [];

function take(chunk) {
  if (chunk.type === "confirmation") {
    confirmation = chunk.content; // never part of a message
    return;
  }
  if (chunk.start) {
    current = { role: chunk.role, type: chunk.type, content: "" };
    if (chunk.format) current.format = chunk.format;
    if (chunk.recipient) current.recipient = chunk.recipient;
    messages.push(current);
  } else if (chunk.end) {
    current = null;
  } else if (chunk.format === "active_line") {
    lines.push(chunk.content);
  } else {
    if (chunk.format && !current.format) current.format = chunk.format;
    current.content += chunk.content;
  }
}

async function ask() {
  confirmation = null;
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ messages, auto_run: true }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of answer.body) {
    rest += decoder.decode(piece, { stream: true });
    const found = rest.split("\n");
    rest = found.pop();
    for (const line of found) if (line) take(JSON.parse(line));
  }
}

(async () => {
  await ask();
  let asked = confirmation;
  if (confirmation && output !== undefined && !messages.some((m) => m.role === "computer")) {
    messages.push({ role: "computer", type: "console", format: "output", content: output });
    await ask();
  }
  console.log(JSON.stringify({ messages, confirmation: asked, lines }));
})();
