import History from "@mui/icons-material/ManageHistoryOutlined";
import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { useOrganizationOptions } from "../../../api/accounts/use-organization.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { auditApi } from "../../../api/groups.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { Row } from "../../../components/layout.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ListFilter, ResourceList } from "../../../components/page/list/resource-list.ts";
import { Tip } from "../../../components/tip/Tip.tsx";
import { clockTime, exactTime, formatDate } from "../../../lib/format/time.ts";
import { sayNote } from "../entries/log-entry.ts";
import { AuditCard, EntryDialog } from "./AuditEntry.tsx";
import { noteCodesWith, useChangesText } from "./differences.ts";

const ACTIONS = ["create", "update", "delete", "enable", "disable", "promote", "demote", "read"] as const;

type Data = Readonly<{
  /** The texts of log notes by code. */
  notes: Readonly<Record<string, string>>;
  changesOf: (entry: AuditEntry) => string;
  organization: ReturnType<typeof useOrganizationOptions>;
}>;
type Context = ListContext<Data>;

const queryOf = ({ text, number }: FilterValues, { data }: Context) => ({
  actor: text("actor") || undefined,
  target: text("search") || undefined,
  /** Codes of the notes whose translated text contains `target`, joined by dots. */
  notes: noteCodesWith(text("search"), data.notes).join(".") || undefined,
  action: text("action") || undefined,
  project: number("project"),
  member: number("member"),
  start_timestamp: number("start"),
  end_timestamp: number("end"),
});

const whatOf = ({ note, content }: AuditEntry, { t, language }: Context) => sayNote(note, content, t, language);

const titled = (text: string) => <span title={text}>{text || "–"}</span>;

const WHO: ListFilter<Data> = { key: "actor" };
const OF_ORGANIZATION: readonly ListFilter<Data>[] = [
  { key: "project", options: ({ organization }) => organization?.projects ?? [] },
  { key: "member", options: ({ organization }) => organization?.members ?? [] },
];

/** What administrators changed, or, with the id of an organization, what was changed in it. */
export const auditOf = (organization: number | null): ResourceList<AuditEntry, ReturnType<typeof queryOf>, Data> => {
  const isOfSite = organization === null;
  const api = isOfSite ? auditApi : auditApi.self;
  return {
    text: (name) => (name === "purpose" && !isOfSite ? "audit.ownPurpose" : `audit.${name}`),
    icon: History,
    rows: {
      key: isOfSite ? ["audit"] : ["organization", organization, "audit"],
      // There is one order, by time.
      read: ({ sort: _, ...query }, signal) => readData(api.get({ query, fetch: { signal } })),
      defaultSort: "time",
      isPageInAddress: true,
    },
    query: queryOf,
    rowId: ({ id }) => id,
    rowName: whatOf,
    unit: "audit.unit",
    columns: [
      {
        key: "time",
        sortKey: "time",
        width: 172,
        cell: ({ created_at: at }, { language }) => (
          <Tip title={exactTime(at, language)}>
            <time dateTime={new Date(at * 1000).toISOString()}>
              {formatDate(at * 1000, language, { dateStyle: "short" })} {clockTime(at)}
            </time>
          </Tip>
        ),
      },
      {
        key: "actor",
        kind: "text",
        width: 152,
        of: ({ username, user_id }) => `${username} (#${user_id})`,
        // What was done in an organization begins with the name of who did it.
        isShown: () => isOfSite,
      },
      { key: "what", isTitle: true, cell: (entry, context) => titled(whatOf(entry, context)) },
      { key: "changes", width: isOfSite ? 400 : 290, cell: (entry, { data }) => titled(data.changesOf(entry)) },
    ],
    search: "audit.filters.search",
    filters: [
      ...(isOfSite ? [WHO] : OF_ORGANIZATION),
      { key: "action", options: ACTIONS.map((action) => [action, `audit.actions.${action}`] as const) },
    ],
    ...(isOfSite && {
      filterTools: (_, context) => (
        <>
          <TimeFilter bound="start" context={context} />
          <TimeFilter bound="end" context={context} />
        </>
      ),
      remembers: { as: "audit", views: true },
    }),
    download: {
      request: (query) => requestDownload(api.export, query),
      ...(!isOfSite && { needs: "exports.download" }),
    },
    onRow: { open: (entry, close) => <EntryDialog entry={entry} onClose={close} /> },
    empty: { title: "audit.none.title", body: isOfSite ? "audit.none.body" : "audit.none.ownBody" },
    card: (entry) => <AuditCard entry={entry} />,
    useData,
  };
};

type TimeFilterProps = Readonly<{ bound: "start" | "end"; context: Context }>;

/** From or up to when. */
const TimeFilter = ({ bound, context: { t, address } }: TimeFilterProps) => (
  <Row gap={2} sx={{ fontSize: 12.5, color: "text.secondary" }}>
    <Box component="span" aria-hidden sx={{ minWidth: { xs: 36, sm: 0 } }}>
      {t(`audit.filters.${bound}`)}
    </Box>
    <Box sx={{ width: 208 }}>
      <DateTimeInput
        label={t(`audit.filters.${bound}`)}
        value={address.number(bound) ?? null}
        onChange={(seconds) => seconds !== undefined && address.set({ [bound]: seconds ?? undefined, p: undefined })}
      />
    </Box>
  </Row>
);

function useData(): Data {
  const { i18n } = useTranslation();
  return {
    notes: i18n.getResource(i18n.language, "translation", "logNotes.texts"),
    changesOf: useChangesText(),
    organization: useOrganizationOptions(),
  };
}
