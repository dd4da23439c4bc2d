import { isListOf, isNullable, isNumber, isOptional, isShape, isText } from "../../../lib/json.ts";

type Check<Value> = (value: unknown) => value is Value;

/** A member that may be missing or null. */
const isMaybe = <Value>(isValue: Check<Value>) => isOptional(isNullable(isValue));

/** A list that may be missing or null. */
const isListOfMaybe = <Item>(isItem: Check<Item>) => isMaybe(isListOf(isItem));

type Failure = { message?: string | null };
export const isFailure = isShape<Failure>({ message: isMaybe(isText) });

/** A part of a tool call in a stream; the first has the id and the name. */
export type ToolCallPart = {
  index?: number;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null };
};
const isToolCallPart = isShape<ToolCallPart>({
  index: isOptional(isNumber),
  id: isMaybe(isText),
  function: isOptional(
    isShape<NonNullable<ToolCallPart["function"]>>({ name: isMaybe(isText), arguments: isMaybe(isText) }),
  ),
});

type ImagePart = { image_url?: { url?: string } };
const isImage = isShape<ImagePart>({
  image_url: isOptional(isShape<{ url?: string }>({ url: isOptional(isText) })),
});

type CitationPart = { url_citation?: { url?: string; title?: string | null } | null };
/** A source of an answer, as OpenAI's chats with a web search name it. */
const isCitation = isShape<CitationPart>({
  url_citation: isMaybe(
    isShape<NonNullable<CitationPart["url_citation"]>>({ url: isOptional(isText), title: isMaybe(isText) }),
  ),
});

/** A piece of an answer as audio, in base64, with its transcript. */
type AudioPart = { data?: string | null; transcript?: string | null };
const isAudio = isShape<AudioPart>({ data: isMaybe(isText), transcript: isMaybe(isText) });

/** What a chunk of a stream adds to the answer. */
export type Delta = {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  images?: ImagePart[] | null;
  audio?: AudioPart | null;
  tool_calls?: ToolCallPart[] | null;
  annotations?: CitationPart[] | null;
};
export const DELTA = {
  content: isMaybe(isText),
  reasoning_content: isMaybe(isText),
  reasoning: isMaybe(isText),
  images: isListOfMaybe(isImage),
  audio: isMaybe(isAudio),
  tool_calls: isListOfMaybe(isToolCallPart),
  annotations: isListOfMaybe(isCitation),
};
