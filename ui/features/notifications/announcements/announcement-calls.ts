import { queryOptions } from "@tanstack/react-query";
import type {
  AnnouncementInput,
  AnnouncementView,
  ReceivedAnnouncement,
} from "../../../../src/domain/notifications/announcements.ts";
import { readData } from "../../../api/client.ts";
import { announcementApi } from "../../../api/groups.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";

export type { AnnouncementView, ReceivedAnnouncement };

export const LEVELS = ["info", "success", "warning", "critical"] as const;

export const LEVEL_TONE: Readonly<Record<string, ToneName>> = {
  info: "info",
  success: "ok",
  warning: "warn",
  critical: "bad",
};

export type Received = Readonly<{ items: readonly ReceivedAnnouncement[]; unread: number }>;

const ASK_EVERY_MS = 300_000;

/** Announcements for signed-in users; reloaded from time to time. */
export const receivedAnnouncements = queryOptions({
  queryKey: ["announcements"],
  queryFn: ({ signal }): Promise<Received> => readData(announcementApi.get({ fetch: { signal } })),
  refetchInterval: ASK_EVERY_MS,
  staleTime: ASK_EVERY_MS / 2,
});

/** Marks an announcement as read; without an id, all of them. */
export const markRead = (id?: number) => readData(announcementApi.read.post(id === undefined ? {} : { ids: [id] }));

/** Creates an announcement, or updates the one with the id; `notify` also sends notifications. */
export const saveAnnouncement = (input: AnnouncementInput, id: number | null, notify: boolean) =>
  readData(id === null ? announcementApi.post({ ...input, notify }) : announcementApi.put({ ...input, id }));

export const deleteAnnouncement = (id: number) => readData(announcementApi({ id }).delete());
