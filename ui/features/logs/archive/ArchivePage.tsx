import Inventory from "@mui/icons-material/Inventory2Outlined";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { readEnvelope } from "../../../api/client.ts";
import { logArchiveApi } from "../../../api/groups.ts";
import { Tag } from "../../../components/display/Tag.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Row } from "../../../components/layout.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatFixed } from "../../../lib/format/number.ts";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import { ArchivedRows } from "./ArchivedRows.tsx";
import { archiveMonths, type ListedMonth } from "./archive-queries.ts";

const MEGABYTE = 1_000_000;

type Data = Readonly<{ mayTest: boolean }>;

const FIGURES: readonly ListColumn<ListedMonth, Data>[] = [
  { key: "rows", kind: "number", of: ({ rows = 0 }) => rows, width: 120 },
  {
    key: "bytes",
    width: 110,
    align: "right",
    cell: ({ bytes = 0 }) => <span className="num">{formatFixed(bytes / MEGABYTE, 1)} MB</span>,
  },
  { key: "files", kind: "number", of: ({ files = 0 }) => files, width: 90 },
  {
    key: "place",
    width: 160,
    cell: ({ places = [] }, { t }) => places.map((place) => t(`logs.archive.places.${place}`)).join(", "),
  },
  { key: "archived", kind: "time", of: "archived_at", width: 150 },
];

/** Months of the log that are in files, with their figures for administrators. */
export const monthsOf = (isForAdmin: boolean): ResourceList<ListedMonth, object, Data> => ({
  text: (name) => (name === "purpose" && !isForAdmin ? "logs.archive.ownPurpose" : `logs.archive.${name}`),
  icon: Inventory,
  rows: { useAll: () => useQuery(archiveMonths(isForAdmin ? "all" : "self")) },
  rowId: ({ month }) => month,
  rowName: ({ month }) => month,
  columns: [
    {
      key: "month",
      isTitle: true,
      cell: ({ month, is_moving: isMoving }, { t }) => (
        <Row gap={2}>
          <span className="num">{month}</span>
          {isMoving && <Tag>{t("logs.archive.moving")}</Tag>}
        </Row>
      ),
    },
    ...(isForAdmin ? FIGURES : []),
  ],
  tools: [
    {
      name: "test",
      isShown: (_, { data }) => data.mayTest,
      work: async () => (await readEnvelope(logArchiveApi.test.post())).message,
    },
  ],
  onRow: { run: ({ month }, { address }) => address.set({ month }) },
  empty: {
    title: "logs.archive.empty.title",
    body: isForAdmin ? "logs.archive.empty.body" : "logs.archive.empty.ownBody",
    action: <SettingLink tab="operation" field="LogRetention" />,
  },
  useData: () => ({ mayTest: isSuperAdmin(useSession().user) }),
});

/** The months, and the rows of one where the address names it. */
const ArchiveContent = () => {
  const month = useAddress().text("month");
  const isForAdmin = useSeesAllUsers();
  const list = useMemo(() => monthsOf(isForAdmin), [isForAdmin]);
  return month === "" ? <ListPage list={list} /> : <ArchivedRows month={month} />;
};

export const ArchivePage = withRight("requests.read", ArchiveContent);
