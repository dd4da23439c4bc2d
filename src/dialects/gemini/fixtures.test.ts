import { testAnswers, testRequests } from "../testing-samples.ts";
import { geminiDoor, geminiProvider } from "./index.ts";

testAnswers(geminiProvider, {
  streams: (path, text) => path.endsWith(".sse") && /"candidates"/.test(text),
  answers: (path, text) => path.endsWith(".response.json") && /"candidates"|"promptFeedback"/.test(text),
  errors: (path) => /^gemini\/error[^/]*\.json$/.test(path),
});
testRequests(geminiDoor, (path, text) => path.endsWith(".request.json") && /"contents"/.test(text));
