import { testAnswers } from "../testing-samples.ts";
import { ollamaProvider } from "./index.ts";

testAnswers(ollamaProvider, {
  framing: "lines",
  streams: (path, text) => /^ollama.*ndjson$/.test(path) && text.includes('"message"'),
  answers: (path, text) => /^ollama.*response\.json$/.test(path) && text.includes('"done_reason"'),
});
