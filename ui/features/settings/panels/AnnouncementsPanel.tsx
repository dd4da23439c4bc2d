import Campaign from "@mui/icons-material/CampaignOutlined";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { announcementApi } from "../../../api/groups.ts";
import { Col } from "../../../components/layout.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing } from "../../../components/page/list/standard-actions.tsx";
import { AnnouncementDialog } from "../../notifications/announcements/AnnouncementDialog.tsx";
import {
  type AnnouncementView,
  deleteAnnouncement,
  LEVEL_TONE,
  receivedAnnouncements,
} from "../../notifications/announcements/announcement-calls.ts";

const needs = "settings:write";
const form = (stored: AnnouncementView | null, close: () => void) => (
  <AnnouncementDialog stored={stored} onClose={close} />
);

export const ANNOUNCEMENTS: ResourceList<AnnouncementView> = {
  text: (name) => `announcements.form.${name}`,
  icon: Campaign,
  rows: {
    key: [...WALLET_KEY, "announcements"],
    read: (query, signal) => readData(announcementApi.all.get({ query, fetch: { signal } })),
  },
  rowId: ({ id }) => id,
  rowName: ({ title }) => title,
  unit: "announcements.unit",
  columns: [
    { key: "title", kind: "text", head: "announcements.form.title", isTitle: true },
    {
      key: "level",
      kind: "status",
      head: "announcements.form.level",
      width: 120,
      of: ({ level }) => ({ tone: LEVEL_TONE[level] ?? "info", text: `announcements.levels.${level}` }),
    },
    { key: "time", kind: "time", head: "announcements.form.time", of: "published_at", width: 140 },
  ],
  add: { name: "add", needs, open: form },
  actions: [
    editing(form, { needs }),
    deleting(({ id }) => deleteAnnouncement(id), "announcements.form.deleted", {
      needs,
      values: ({ title }) => ({ title }),
    }),
  ],
  onRow: ["edit"],
  empty: { title: "announcements.none", body: "announcements.form.empty", action: null },
  reload: [{ queryKey: WALLET_KEY }, { queryKey: receivedAnnouncements.queryKey }],
};

/** Creates, edits and deletes announcements. */
export const AnnouncementsPanel = () => (
  <Col gap={4} sx={{ mt: 6, pt: 4, borderTop: "1px dashed", borderColor: "line.main" }}>
    <ListTable list={ANNOUNCEMENTS} />
  </Col>
);
