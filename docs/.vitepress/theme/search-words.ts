/** A run of Chinese characters, which are written without spaces. */
const CHINESE = /\p{Script=Han}+/gu;
/** What separates words: MiniSearch's own rule. */
const BETWEEN = /[\n\r\p{Z}\p{P}]+/u;

/** A text whose Chinese runs are pairs of characters with spaces between them: 添加渠道 as 添加 加渠 渠道. */
export const inPairs = (text: string): string =>
  text.replace(CHINESE, (run) => ` ${run.length < 3 ? run : pairsOf([...run]).join(" ")} `);

const pairsOf = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((second, at) => `${characters[at]}${second}`);

/** The words that are searched for. */
export const searchWords = (text: string): string[] => inPairs(text).split(BETWEEN);
