import { readData, readEnvelope } from "../../api/client.ts";
import { notificationApi } from "../../api/groups.ts";

/** Sends a message the stored way; rejects ApiError with why it did not arrive. */
export const sendTest = () => readEnvelope(notificationApi.setting.test.post({}));

export type PushCode = Readonly<{
  code: string;
  /** A picture. */
  url: string;
  /** Seconds. */
  expires_in: number;
}>;

export const createPushCode = (): Promise<PushCode> => readData(notificationApi.push.code.post({}));

/** Whether the code was scanned by now, and is bound. */
export const bindPush = async (code: string): Promise<boolean> =>
  (await readData(notificationApi.push.bind.post({ code }))).bound;

export const unbindPush = () => readEnvelope(notificationApi.push.delete());
