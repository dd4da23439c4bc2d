import { networkMessages } from "./messages/network.ts";
import { relayMessages } from "./messages/relay.ts";
import { type Language, type MessageCode, type Sentence, say } from "./messages.ts";
import type { Reason } from "./reason.ts";

type Pattern = Readonly<{ code: MessageCode; names: readonly string[]; words: RegExp }>;

const patterns: readonly Pattern[] = Object.entries({ ...relayMessages, ...networkMessages }).map(([code, { en }]) => ({
  code: code as keyof typeof relayMessages | keyof typeof networkMessages,
  names: [...en.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
  words: new RegExp(`^${RegExp.escape(en).replace(/\\\{(\w+)\\\}/g, "(.+?)")}$`),
}));

/**
 * Says in `language` why a call failed, where the English text is one of the relay's own sentences; what upstreams said
 * stays as it is. Calls, and what is kept of them, speak English: their readers are programs first.
 */
export function sayFailure(text: string, language: Language): string {
  if (language === "en") return text;
  const sentence = recognise(text);
  return sentence ? say(sentence.code, language, sentence.params) : text;
}

function recognise(text: string): Sentence | null {
  for (const { code, names, words } of patterns) {
    const found = words.exec(text);
    if (found) return { code, params: Object.fromEntries(names.map((name, at) => [name, part(found[at + 1])])) };
  }
  return null;
}

/** What fills a sentence in may be one of ours itself: "the proxy address". */
const part = (text = ""): Reason => recognise(text) ?? text;
