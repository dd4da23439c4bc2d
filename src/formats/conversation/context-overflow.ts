import type { ChatDialect } from "./conversation.ts";
import type { ReplyError } from "./reply.ts";

/**
 * A request that does not fit the model's context window, in tokens as far as they are known: its input, the output that it
 * reserves (only if the two do not fit together), and the window.
 */
export type ContextOverflow = Readonly<{ input: number | null; output: number | null; limit: number | null }>;

type Words = Readonly<{ message: string } & Partial<Pick<ReplyError, "type" | "code" | "param">>>;

/** A format's own error for such requests, by which its clients shorten the conversation and go on. */
type OverflowFormat = Readonly<{
  /** How its service says it: an error with these words keeps them. */
  sign: RegExp;
  /** `message`: the provider's own words. */
  write(overflow: ContextOverflow, message: string): Words;
}>;

const INVALID_REQUEST = "invalid_request_error";
const CODE = "context_length_exceeded";

const TOO_LONG = "prompt is too long";

/** https://platform.claude.com/docs/en/build-with-claude/context-windows; Claude Code reads both sentences and their numbers. */
const ANTHROPIC: OverflowFormat = {
  sign: /prompt is too long: \d+ tokens > \d|exceed context limit: \d/i,
  write({ input, output, limit }, message) {
    if (input === null || limit === null)
      return words(message.includes(TOO_LONG) ? message : `${TOO_LONG}: ${message}`);
    if (output === null) return words(`${TOO_LONG}: ${input} tokens > ${limit} maximum`);
    const sum = `${input} + ${output} > ${limit}`;
    return words(
      `input length and \`max_tokens\` exceed context limit: ${sum}, decrease input length or \`max_tokens\` and try again`,
    );
  },
};
const words = (message: string): Words => ({ message, type: INVALID_REQUEST, code: CODE, param: null });

/**
 * OpenAI has several sentences. Copilot CLI knows only the one of Responses, which therefore follows the others:
 * https://platform.openai.com/docs/guides/error-codes
 */
const EXCEEDS = "Your input exceeds the context window of this model.";
const OTHER_SENTENCES = /maximum context length|exceed the configured limit/i;
const CHAT: OverflowFormat = {
  sign: /exceeds the context window/i,
  write({ input, output, limit }, message) {
    if (OTHER_SENTENCES.test(message)) return { ...words(`${message} ${EXCEEDS}`), param: "messages" };
    const begin = `This model's maximum context length is ${limit} tokens. However, `;
    if (input === null || limit === null) return { ...words(RESPONSES_WORDS), param: "messages" };
    const rest =
      output === null
        ? `your messages resulted in ${input} tokens. Please reduce the length of the messages.`
        : `you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`;
    return { ...words(`${begin}${rest} ${EXCEEDS}`), param: "messages" };
  },
};

const RESPONSES_WORDS = `${EXCEEDS} Please adjust your input and try again.`;
const RESPONSES: OverflowFormat = {
  sign: CHAT.sign,
  write: (_, message) => ({
    ...words(OTHER_SENTENCES.test(message) ? `${message} ${EXCEEDS}` : RESPONSES_WORDS),
    param: "input",
  }),
};

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const GEMINI: OverflowFormat = {
  sign: /input token count .*exceeds the maximum number of tokens allowed/i,
  write({ input, output, limit }) {
    const sum = input === null ? null : input + (output ?? 0);
    const count = sum === null || limit === null ? "" : ` (${sum})`;
    const most = limit === null ? "" : ` (${limit})`;
    return {
      message: `The input token count${count} exceeds the maximum number of tokens allowed${most}.`,
      type: "INVALID_ARGUMENT",
      code: "INVALID_ARGUMENT",
      param: null,
    };
  },
};

const FORMATS: Readonly<Partial<Record<ChatDialect, OverflowFormat>>> = {
  anthropic: ANTHROPIC,
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  gemini: GEMINI,
  "gemini-interactions": GEMINI,
};

/** The error as the format's own service reports a request that is too long for its model. */
export function sayOverflow(dialect: ChatDialect, error: ReplyError, overflow: ContextOverflow): ReplyError {
  const format = FORMATS[dialect] ?? CHAT;
  const status = 400;
  const { extra: _, ...bare } = error;
  if (format.sign.test(error.message)) {
    const { type, code } = format.write(overflow, "");
    return { ...error, status, type: type ?? error.type, code: code ?? error.code };
  }
  return { ...bare, status, ...format.write(overflow, error.message) };
}
