import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column, RowAction } from "../data-table/column.ts";
import { DataTable } from "../data-table/DataTable.tsx";
import { useDataTable } from "../data-table/use-data-table.ts";
import { EmptyState } from "../feedback/EmptyState.tsx";
import { useAction } from "../feedback/use-action.ts";
import { PageHeader, Row as SideBySide } from "../layout.tsx";

/** The texts that each resource has under a name of its own. */
type ResourceText =
  | ("title" | "purpose" | "add" | "edit" | "delete" | "deleteTitle" | "deleteBody" | "deleted")
  | ("empty.title" | "empty.body");

type Resource = Readonly<{ id: number; name?: string }>;

type ResourcePageProps<Row extends Resource> = Readonly<{
  /** The key of one of its texts: `sinks.title`. */
  text: (name: ResourceText) => string;
  /** All of them. */
  list: UseQueryResult<readonly Row[]>;
  columns: readonly Column<Row>[];
  /** Stands above the words of an empty list. */
  icon: ReactNode;
  /** How a row is called: by its name, if not given. */
  rowName?: (row: Row) => string;
  /** The menu of a row above "Delete"; without it, "Edit" alone. */
  actions?: (row: Row, edit: RowAction) => readonly RowAction[];
  remove: (id: number) => Promise<unknown>;
  /** Whether a row can't be deleted now. */
  isInUse?: (row: Row) => boolean;
  isDim?: (row: Row) => boolean;
  /** Edits a row; null: creates one. */
  drawer: (row: Row | null, onClose: () => void) => ReactNode;
}>;

/** A page that lists all of what an administrator manages under names, and creates, edits and deletes it. */
export function ResourcePage<Row extends Resource>(props: ResourcePageProps<Row>) {
  const { t } = useTranslation();
  const { text } = props;
  const { add, table } = useResourceTable(props, true);
  return (
    <>
      <PageHeader title={t(text("title"))} purpose={t(text("purpose"))} actions={add} />
      {table}
    </>
  );
}

type ResourcePartProps<Row extends Resource> = ResourcePageProps<Row> & Readonly<{ isMain?: boolean }>;

/** The same as a part of a page that has more; the button is in the part's head once the list, which has it too, is not empty. */
export function ResourcePart<Row extends Resource>({ isMain = false, ...props }: ResourcePartProps<Row>) {
  const { t } = useTranslation();
  const { text, list } = props;
  const { add, table } = useResourceTable(props, isMain);
  return (
    <PagePart title={t(text("title"))} hint={t(text("purpose"))} action={(list.data ?? []).length > 0 && add}>
      {table}
    </PagePart>
  );
}

type PagePartProps = Readonly<{ title: string; hint: string; action?: ReactNode; children: ReactNode }>;

/** A part of a page under a heading of its own. */
export const PagePart = ({ title, hint, action, children }: PagePartProps) => (
  <Box component="section">
    <SideBySide sx={{ mb: 2 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="h2">{title}</Typography>
        <Typography variant="caption" sx={{ color: "text.tertiary" }}>
          {hint}
        </Typography>
      </Box>
      {action}
    </SideBySide>
    {children}
  </Box>
);

/** The table with the drawer that it opens, and the button that adds a row; `isMain`: it is the page's main one. */
function useResourceTable<Row extends Resource>(props: ResourcePageProps<Row>, isMain: boolean) {
  const { text, list, columns, icon, actions = (_, edit) => [edit], remove, isInUse, isDim, drawer } = props;
  const { rowName = ({ name = "" }) => name } = props;
  const { t } = useTranslation();
  const [opened, setOpened] = useState<{ row: Row | null } | null>(null);
  const act = useAction(() => list.refetch());
  const model = useDataTable({
    columns,
    rows: list.data,
    rowId: ({ id }) => id,
    rowName,
    actions: (row) => [
      ...actions(row, { label: t(text("edit")), icon: <Edit />, onSelect: () => setOpened({ row }) }),
      {
        label: t(text("delete")),
        icon: <Delete />,
        onSelect: () =>
          void act({
            question: {
              title: t(text("deleteTitle"), { name: rowName(row) }),
              body: t(text("deleteBody"), { name: rowName(row) }),
              action: t(text("delete")),
              isDangerous: true,
            },
            work: () => remove(row.id),
            done: () => t(text("deleted"), { name: rowName(row) }),
          }),
        isDangerous: true,
        ...(isInUse && { isDisabled: isInUse(row) }),
      },
    ],
  });
  const add = (
    <Button
      {...(isMain && { variant: "contained", color: "primary" })}
      startIcon={<Add />}
      onClick={() => setOpened({ row: null })}
    >
      {t(text("add"))}
    </Button>
  );
  const table = (
    <>
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(row) => setOpened({ row })}
        {...(isDim && { isDim })}
        empty={<EmptyState icon={icon} title={t(text("empty.title"))} body={t(text("empty.body"))} action={add} />}
      />
      {opened && drawer(opened.row, () => setOpened(null))}
    </>
  );
  return { add, table };
}
