import type { Reason } from "../../../lib/reason.ts";
import type { Actor } from "../operation.ts";

/** Why a channel or a key is off that somebody switched off. */
export const disabledBy = ({ username }: Actor): Reason => ({ code: "why_disabled_by", params: { name: username } });
