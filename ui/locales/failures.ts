import { gatewayMessages } from "../../src/lib/messages/gateway.ts";
import { networkMessages } from "../../src/lib/messages/network.ts";

/** Why calls fail, in the gateway's own sentences with i18next's placeholders: the namespace “failures”. */
export const failureWords = (language: "en" | "zh"): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...gatewayMessages, ...networkMessages }).map(([code, words]) => [
      code,
      words[language].replace(/\{(\w+)\}/g, "{{$1}}"),
    ]),
  );
