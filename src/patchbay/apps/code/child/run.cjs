// Runs one program with Node.js. Knows nothing of Patchbay.
//
// Word: the descriptor the answer goes to. Standard input, answer and printing: see run.py.
"use strict";

const { Console } = require("node:console");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

const NAME = "program";
const RESULT = Number(process.argv[2]);
const LONGEST_MESSAGE = 2000;
const WRAPPER = "(async (inputs, require) => {";
const { writeSync } = fs;
const pause = new Int32Array(new SharedArrayBuffer(4));
let answered = false;
let lines = 0;

// All of it, also where the reader is slow and Node.js has made the pipe refuse to wait.
function write(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function answer(text) {
  if (answered) return;
  answered = true;
  write(RESULT, text);
  process.exit(0);
}

function failed(kind, line, message) {
  answer(JSON.stringify({ failed: { kind, line, message: String(message).slice(0, LONGEST_MESSAGE) } }));
}

function refuse(error) {
  const stack = error instanceof Error ? String(error.stack) : "";
  const place = /(?:^|[\s(])program:(\d+)/m.exec(stack);
  const line = place ? Math.min(Number(place[1]), lines) : null;
  if (error instanceof RangeError && /allocation failed/i.test(error.message)) return failed("memory", line, "");
  if (error instanceof SyntaxError && /^program:\d+\n/.test(stack)) {
    return failed("syntax", line, Number(place[1]) > lines ? "unexpected end of the program" : error.message);
  }
  failed("raised", line, error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`);
}

// Everything printed goes to standard error at once, whichever way the program prints.
function redirectPrinting() {
  const print = (text) => {
    write(2, text);
    return true;
  };
  process.stdout.write = process.stderr.write = print;
  globalThis.console = new Console({ stdout: { write: print }, stderr: { write: print }, ignoreErrors: false });
}

// A program that returns nothing itself may define, or export, the function “code”, which is called then: the
// form that Automatisch uses. Lines keep their numbers.
function withCall(code) {
  const plain = code
    .replace(/^([ \t]*)export default\b/gm, "$1const code =  ")
    .replace(/^([ \t]*)export(?=\s+(?:const|let|var|function|async|class)\b)/gm, "$1      ");
  if (plain !== code) {
    return `${plain}\nif (typeof code !== "function") throw "the export “code” is no function";\nreturn code(inputs);`;
  }
  if (/^(?:await\s+)?code\s*\(/m.test(code)) return code;
  return `${code}\nif (typeof code === "function") return code(inputs);`;
}

const DEFINITION = new RegExp(
  String.raw`^(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)` +
    String.raw`|^(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)`,
  "gm",
);

// The first function on the outermost level that is never mentioned again: {name, line}.
function uncalled(code) {
  for (const match of code.matchAll(DEFINITION)) {
    const name = match[1] ?? match[2];
    const mentions = code.match(new RegExp(`(?<![\\w$.])${name.replace(/\$/g, "\\$")}(?![\\w$])`, "g"));
    if (name !== "code" && mentions.length === 1) {
      return { name, line: code.slice(0, match.index).split("\n").length };
    }
  }
  return null;
}

function compiled(code) {
  const script = new vm.Script(`${WRAPPER}${withCall(code)}\n})`, {
    filename: NAME,
    columnOffset: -WRAPPER.length,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext();
}

function gave(output) {
  let text;
  try {
    text = JSON.stringify(output === undefined ? null : output);
    if (text === undefined) throw new TypeError(`a value of the type ${typeof output}`);
  } catch (error) {
    failed("no_json", null, error.message.split("\n")[0]);
  }
  answer(`{"output": ${text}}`);
}

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const { code, inputs } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  process.on("uncaughtException", refuse);
  process.on("beforeExit", () => failed("stuck", null, ""));
  redirectPrinting();
  lines = code.trimEnd().split("\n").length;
  try {
    const run = compiled(code);
    const output = await run(inputs, createRequire(path.join(process.cwd(), NAME)));
    const unused = output === undefined ? uncalled(code) : null;
    if (unused !== null) return failed("uncalled", unused.line, unused.name);
    gave(output);
  } catch (error) {
    refuse(error);
  }
}

main();
