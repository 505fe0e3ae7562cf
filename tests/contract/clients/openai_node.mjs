// OpenAI's client for Node asks a service; prints what came of it as one line of JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_FOLDER}/`);
const { default: OpenAI, toFile } = await import(pathToFileURL(require.resolve("openai")));
const client = new OpenAI({
  baseURL: process.env.BASE_URL,
  apiKey: process.env.API_KEY,
  maxRetries: 0,
});
const hi = (content) => [{ role: "user", content }];
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const failed = async (work) => {
  try {
    await work();
    return null;
  } catch (error) {
    return [error.constructor.name, error.status, error.code, error.param];
  }
};
const told = {};

told.models = [];
for await (const model of client.models.list()) told.models.push(model.id);

const whole = await client.chat.completions.create({ model: "echo", messages: hi("one two"), n: 2 });
told.whole = whole.choices.map((choice) => choice.message.content);
told.usage = whole.usage;

told.streamed = "";
const chunks = await client.chat.completions.create({
  model: "echo",
  messages: hi("one two"),
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of chunks) {
  told.streamed += chunk.choices[0]?.delta.content ?? "";
  told.streamUsage = chunk.usage ?? told.streamUsage;
}

const calls = 'Well PIECE:a:f:{"x" PIECE:a:f::1} PIECE:b:f:{}';
const asked = { model: "echo", messages: hi(calls), tools: [tool] };
const runner = client.chat.completions.stream(asked);
told.streamedCalls = (await runner.finalChatCompletion()).choices[0].message.tool_calls.map(
  (call) => [call.id, call.function.name, call.function.arguments],
);
told.calls = (await client.chat.completions.create(asked)).choices[0].message.tool_calls.map(
  (call) => [call.id, call.function.name, call.function.arguments],
);
const ran = [];
const answered = await client.chat.completions
  .runTools({
    model: "echo",
    messages: hi('CALL:look_up:{"row":1}'),
    tools: [
      {
        type: "function",
        function: {
          name: "look_up",
          parameters: { type: "object", properties: { row: { type: "integer" } } },
          parse: JSON.parse,
          function: ({ row }) => {
            ran.push(row);
            return "seven eight";
          },
        },
      },
    ],
  })
  .finalContent();
told.toolsRun = [ran, answered];

const vectors = await client.embeddings.create({ model: "tiny-embedder", input: ["a", "b"], dimensions: 4 });
told.vectors = vectors.data.map((one) => one.embedding.length);

const response = await client.responses.create({ model: "echo", input: "one two" });
told.response = response.output_text;
told.events = [];
for await (const event of await client.responses.create({ model: "echo", input: "one two", stream: true }))
  told.events.push(event.type);

const speech = await client.audio.speech.create({
  model: "tiny-piper",
  voice: "alloy",
  input: "The cat sat.",
  response_format: "wav",
});
const sound = Buffer.from(await speech.arrayBuffer());
told.sound = [sound.subarray(0, 4).toString(), sound.readUInt32LE(4) + 8 === sound.length];
told.heard = typeof (
  await client.audio.transcriptions.create({
    model: "tiny-faster_whisper",
    file: await toFile(sound, "a.wav"),
  })
).text;
told.flagged = (await client.moderations.create({ model: "echo", input: ["kind", "some harm"] })).results.map(
  (result) => result.flagged,
);

told.overflow = await failed(() =>
  client.chat.completions.create({ model: "tiny-llama", messages: hi("word ".repeat(9000)) }),
);
told.nobody = await failed(() => client.chat.completions.create({ model: "nobody", messages: hi("x") }));
told.refused = await failed(() =>
  client.chat.completions.create({ model: "echo", messages: hi("x"), logprobs: true }),
);
console.log(JSON.stringify(told));
