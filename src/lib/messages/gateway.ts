import { accessMessages, limitMessages } from "./gateway/key-access.ts";
import { ownKeyMessages } from "./gateway/own-keys.ts";
import { requestMessages } from "./gateway/request.ts";
import { storedMessages } from "./gateway/stored.ts";
import { networkMessages, taskMessages, upstreamMessages } from "./gateway/upstream.ts";

/** Why calls fail: API clients get these sentences in English, the console says them in its reader's language. */
export const gatewayMessages = {
  ...accessMessages,
  ...limitMessages,
  ...requestMessages,
  ...upstreamMessages,
  ...ownKeyMessages,
  ...storedMessages,
  ...taskMessages,
  ...networkMessages,
} as const;
