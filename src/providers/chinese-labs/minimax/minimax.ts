import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { minimaxEmbeddings, minimaxSpeech } from "./embeddings-and-speech.ts";
import { minimaxImages } from "./images.ts";

/** MiniMax: chats in OpenAI's format, everything else in its own. */
export const minimax = openAiCompatible({
  type: 35,
  name: "MiniMax",
  owner: "minimax",
  baseUrl: "https://api.minimax.chat",
  capabilities: ["chat", "images", "embeddings", "speech"],
  native: {
    images: { path: "/image_generation", format: minimaxImages },
    embeddings: { format: minimaxEmbeddings },
    speech: { path: "/t2a_v2", format: minimaxSpeech },
  },
  models: [
    "MiniMax-M3",
    "MiniMax-M2.7",
    "MiniMax-M2.5",
    "MiniMax-M2.1",
    "MiniMax-M2",
    "MiniMax-M1",
    "MiniMax-Text-01",
    "image-01",
    "embo-01",
    "speech-2.5-hd-preview",
  ],
  quirks: { temperature: [0.01, 1], topP: [0.01, 1], rejected: ["n"] },
});
