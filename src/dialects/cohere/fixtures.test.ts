import { testAnswers } from "../testing-samples.ts";
import { cohereProvider } from "./index.ts";

testAnswers(cohereProvider, {
  streams: (path, text) => path.startsWith("cohere") && path.endsWith(".sse") && text.includes("message-end"),
  answers: (path, text) => path.startsWith("cohere") && /"finish_reason"/.test(text) && /"message": \{/.test(text),
});
