import { request } from "../../api/client.ts";

/** Fields set on every channel of a tag; what is absent stays as it is. */
type TagChange = Readonly<{
  new_tag?: string;
  models?: string;
  groups?: string;
  model_mapping?: string;
  priority?: number;
  weight?: number;
}>;

/** Returns how many channels changed. */
export const setTagStatus = async (tag: string, isOn: boolean, signal?: AbortSignal): Promise<number> =>
  (
    await request<number>(`/api/channel/tag/${isOn ? "enabled" : "disabled"}`, {
      method: "POST",
      body: { tag },
      signal,
    })
  ).data;

/** Returns how many channels the tag has. */
export const editTag = async (tag: string, change: TagChange, signal?: AbortSignal): Promise<number> =>
  (await request<number>("/api/channel/tag", { method: "PUT", body: { tag, ...change }, signal })).data;
