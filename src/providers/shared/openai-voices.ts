/** OpenAI's voices: Google and ElevenLabs have none of them and reject unknown names. */
export const OPENAI_VOICES = /^(alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;
