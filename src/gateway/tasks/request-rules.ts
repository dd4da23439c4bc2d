import { anyNumber, MOST_CHOICES, wholeNumber } from "../../formats/request-rules/number-limits.ts";
import { requestMembers } from "../../formats/request-rules/request-members.ts";
import type { RequestRules } from "../../formats/request-rules/request-rules.ts";
import { READ_VIDEO_FIELDS } from "./video/order.ts";

const DAY_S = 86_400;
const MOST_PIXELS = 16_384;

/** Orders of the Midjourney protocol. */
export const drawingRules: RequestRules = {
  members: requestMembers(
    `action prompt botType base64Array base64 sourceBase64 targetBase64 maskBase64 customId taskId index content state notifyHook
    accountFilter ids`,
  ),
  numbers: [],
  switches: [],
};

/** Orders of the Suno protocol. */
export const musicRules: RequestRules = {
  members: requestMembers(
    "prompt gpt_description_prompt mv task_id continue_clip_id continue_at notify_hook title tags ids action",
  ),
  numbers: [anyNumber("continue_at", 0, DAY_S)],
  switches: [],
};

/** Orders of videos, in OpenAI's format and in that of /v1/video/generations. */
export const videoRules: RequestRules = {
  members: requestMembers(`${[...READ_VIDEO_FIELDS].join(" ")} video id file_id image_url`),
  numbers: [
    wholeNumber("width", 1, MOST_PIXELS),
    wholeNumber("height", 1, MOST_PIXELS),
    wholeNumber("n", 1, MOST_CHOICES),
  ],
  switches: [],
};
