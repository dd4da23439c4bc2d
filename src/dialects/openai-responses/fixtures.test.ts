import { testAnswers, testRequests } from "../testing-samples.ts";
import { openaiResponsesDoor, openaiResponsesProvider } from "./index.ts";

testAnswers(openaiResponsesProvider, {
  streams: (path, text) => path.endsWith(".sse") && /"response\.created"/.test(text),
  answers: (path, text) => path.endsWith(".response.json") && /"object": ?"response"/.test(text),
});
testRequests(
  openaiResponsesDoor,
  (path, text) => path.endsWith(".request.json") && /"input"/.test(text) && /responses/.test(path),
);
