// The AI SDK asks a service; prints what came of it as one line of JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_FOLDER}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { embedMany, generateText, jsonSchema, Output, stepCountIs, streamText, tool } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const provider = createOpenAICompatible({
  name: "deskpilot",
  baseURL: process.env.BASE_URL,
  apiKey: process.env.API_KEY,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const echo = provider("echo");
const told = {};

const whole = await generateText({ model: echo, prompt: "one two" });
told.whole = [whole.text, whole.finishReason, whole.usage.inputTokens, whole.usage.outputTokens];

const streamed = streamText({ model: echo, prompt: "one two" });
told.streamed = "";
for await (const text of streamed.textStream) told.streamed += text;
told.streamUsage = (await streamed.usage).totalTokens;

const ran = [];
const tools = {
  look_up: tool({
    description: "Look a row up",
    inputSchema: jsonSchema({ type: "object", properties: { row: { type: "integer" } } }),
    execute: async ({ row }) => {
      ran.push(row);
      return "seven eight";
    },
  }),
};
const prompt = 'Well CALL:look_up:{"row":1}';
const called = await generateText({ model: echo, tools, prompt, stopWhen: stepCountIs(3) });
told.called = [ran.splice(0), called.steps.length, called.text];
const pieces = 'PIECE:a:look_up:{"row" PIECE:a:look_up::1} PIECE:b:look_up:{"row":2}';
const streaming = streamText({ model: echo, tools, prompt: pieces });
const seen = [];
for await (const part of streaming.fullStream)
  if (part.type === "tool-call") seen.push([part.toolCallId, part.toolName, part.input]);
told.streamedCalls = [seen, ran];

const schema = jsonSchema({
  type: "object",
  properties: { colour: { enum: ["red", "blue"] } },
  required: ["colour"],
  additionalProperties: false,
});
const made = await generateText({
  model: provider("tiny-llama"),
  prompt: "The sky?",
  output: Output.object({ schema }),
  maxOutputTokens: 60,
});
told.object = made.output;

const vectors = await embedMany({ model: provider.embeddingModel("tiny-embedder"), values: ["a", "b"] });
told.vectors = vectors.embeddings.map((one) => one.length);

try {
  await generateText({
    model: provider("tiny-llama"),
    prompt: "word ".repeat(9000),
    maxRetries: 0,
  });
} catch (error) {
  told.overflow = [error.constructor.name, error.statusCode, error.message];
}
console.log(JSON.stringify(told));
