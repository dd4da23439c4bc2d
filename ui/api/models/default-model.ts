/** The model that examples and the playground name where it is offered. */
const USUAL_MODEL = "gpt-4o-mini";

/** Names of models that don't chat. */
const NO_CHAT =
  /embed|bge-|whisper|tts|dall-e|image|audio|realtime|moderation|rerank|transcri|instruct$|babbage|davinci|sora|veo|imagen|video|speech|ocr|search|codex|deep-research|wan\d|flux/i;

/** Whether a model of this name chats, as far as the name says. */
export const isChatModel = (name: string): boolean => !NO_CHAT.test(name);

/** The offered model to start with: the usual one, else the first that chats, else the first; undefined without models. */
export const defaultModel = (offered: readonly string[]): string | undefined =>
  offered.includes(USUAL_MODEL) ? USUAL_MODEL : (offered.find(isChatModel) ?? offered[0]);

/** The model that an example names: one that is offered, else a placeholder. */
export const exampleModel = (offered: readonly string[]): string => defaultModel(offered) ?? "your-model";
