// Runs a script statement by statement and tells the line of each on a pipe, beside its output.
//
//     node statements.cjs SCRIPT PIPE
//
// What cannot be cut into statements without changing what it means runs whole.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const { createRequire } = require("module");

const [file, pipe] = [path.resolve(process.argv[2]), Number(process.argv[3])];
const lines = fs.readFileSync(file, "utf8").split("\n");
const GOES_ON = /^\s*([([`+\-*/%.,?:=&|<>^]|else\b|catch\b|finally\b|while\b|in\b|instanceof\b)/;
const HOISTED = /^\s*(async\s+)?function\b/;
const MOST = 400; // lines: each end of a statement is looked for by compiling

function compiles(from, to) {
  try {
    new vm.Script(lines.slice(from, to).join("\n"), { filename: file });
    return true;
  } catch {
    return false;
  }
}

function statements() {
  const found = [];
  for (let from = 0; from < lines.length; ) {
    if (!lines[from].trim()) {
      from++;
      continue;
    }
    let to = from + 1;
    const ends = () => compiles(from, to) && !GOES_ON.test(lines.slice(to).find((line) => line.trim()) ?? "");
    while (to < lines.length && !(ends() && compiles(to, lines.length))) to++;
    found.push([from, to]);
    from = to;
  }
  return found;
}

function run([from, to]) {
  const code = lines.slice(from, to).join("\n");
  if (!HOISTED.test(lines[from])) fs.writeSync(pipe, `${from + 1}\n`);
  new vm.Script(code, { filename: file, lineOffset: from }).runInThisContext();
}

process.argv.splice(1, 2, file);
if (lines.length <= MOST && !/^\s*["']use strict["']/.test(lines.join("\n")) && compiles(0, lines.length)) {
  const module = { exports: {}, filename: file, id: "." };
  Object.assign(globalThis, { require: createRequire(file), module, exports: module.exports });
  Object.assign(globalThis, { __filename: file, __dirname: path.dirname(file) });
  const all = statements();
  all.filter(([from]) => HOISTED.test(lines[from])).forEach(run);
  all.filter(([from]) => !HOISTED.test(lines[from])).forEach(run);
} else {
  require(file);
}
