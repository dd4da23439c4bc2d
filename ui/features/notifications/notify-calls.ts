import { request } from "../../api/client.ts";

/** Sends a message the stored way; rejects ApiError with why it did not arrive. */
export const sendTest = () => request<null>("/api/user/setting/test", { method: "POST", body: {} });

export type PushCode = Readonly<{
  code: string;
  /** A picture. */
  url: string;
  /** Seconds. */
  expires_in: number;
}>;

export const createPushCode = async (): Promise<PushCode> =>
  (await request<PushCode>("/api/user/push/code", { method: "POST", body: {} })).data;

/** Whether the code was scanned by now, and is bound. */
export const bindPush = async (code: string): Promise<boolean> =>
  (await request<{ bound: boolean }>("/api/user/push/bind", { method: "POST", body: { code } })).data.bound;

export const unbindPush = () => request<null>("/api/user/push", { method: "DELETE" });
