import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { RowData } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DownloadButton } from "../../display/DownloadButton.tsx";
import { PageHeader, Panel, Row as SideBySide, usePhone } from "../../layout.tsx";
import type { ResourceList } from "./resource-list.ts";
import { useList } from "./use-list.tsx";

type Props<Row, Query, Data> = Readonly<{ list: ResourceList<Row, Query, Data> }>;

type PageProps<Row, Query, Data> = Props<Row, Query, Data> &
  Readonly<{
    /** Stands in the page's head, before what the description has there. */
    header?: ReactNode;
  }>;

/** Draws a list from its description, as a page. */
export function ListPage<Row extends RowData, Query, Data>({ list, header }: PageProps<Row, Query, Data>) {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const { add, tools, download, above, body } = useList(list, { isPage: true, isMain: true });
  // A menu fits next to the title.
  const areToolsBelow = isPhone && list.more === undefined;
  return (
    <>
      <PageHeader
        title={t(list.text("title"))}
        purpose={t(list.text("purpose"))}
        actions={
          <SideBySide>
            {header}
            {!areToolsBelow && tools}
            {download && <DownloadButton request={download} />}
            {add}
          </SideBySide>
        }
      />
      {areToolsBelow && tools && (
        <SideBySide wrap sx={{ mb: 3 }}>
          {tools}
        </SideBySide>
      )}
      {above}
      {body}
    </>
  );
}

/** The same as a part of a page that has more; the button is in the part's head once the list, which has it too, is not empty. */
export function ListPart<Row extends RowData, Query, Data>({
  list,
  isMain = false,
}: Props<Row, Query, Data> & { isMain?: boolean }) {
  const { t } = useTranslation();
  const { add, hasRows, body } = useList(list, { isMain });
  return (
    <PagePart title={t(list.text("title"))} hint={t(list.text("purpose"))} action={hasRows && add}>
      {body}
    </PagePart>
  );
}

/** The same in a frame. */
export function ListPanel<Row extends RowData, Query, Data>({ list }: Props<Row, Query, Data>) {
  const { t } = useTranslation();
  const { add, download, body } = useList(list, {});
  return (
    <Panel
      title={t(list.text("title"))}
      hint={t(list.text("purpose"))}
      action={
        (download || add) && (
          <SideBySide>
            {download && <DownloadButton request={download} />}
            {add}
          </SideBySide>
        )
      }
    >
      {body}
    </Panel>
  );
}

/** The list alone: the button that adds to it, its filters and its table. */
export function ListTable<Row extends RowData, Query, Data>({ list }: Props<Row, Query, Data>) {
  const { add, body } = useList(list, {});
  return (
    <>
      {add && <SideBySide>{add}</SideBySide>}
      {body}
    </>
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
