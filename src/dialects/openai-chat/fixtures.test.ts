import { testAnswers, testRequests } from "../testing-samples.ts";
import { openaiChatDoor, openaiChatProvider } from "./index.ts";

testAnswers(openaiChatProvider, {
  streams: (path, text) => path.endsWith(".sse") && /"chat\.completion\.chunk"/.test(text),
  answers: (path, text) =>
    path.endsWith(".response.json") && /"choices"/.test(text) && /"message"/.test(text) && !/"output"/.test(text),
});
testRequests(
  openaiChatDoor,
  (path, text) =>
    path.endsWith(".request.json") &&
    /"messages"/.test(text) &&
    /^(openai|azure|deepseek|openrouter|mistral|xai)\b/.test(path),
);
