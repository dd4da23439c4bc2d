import { testAnswers, testRequests } from "../testing-samples.ts";
import { anthropicDoor, anthropicProvider } from "./index.ts";

testAnswers(anthropicProvider, {
  streams: (path, text) => path.endsWith(".sse") && /"message_start"/.test(text),
  answers: (path, text) =>
    path.endsWith(".response.json") && /"stop_reason"/.test(text) && /"role": ?"assistant"/.test(text),
  errors: (path) => /^anthropic\/error[^/]*\.json$/.test(path),
});
testRequests(
  anthropicDoor,
  (path, text) =>
    path.endsWith(".request.json") && /^(anthropic|bedrock\/invoke)/.test(path) && /"messages"/.test(text),
);
