import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { RowData } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DownloadButton } from "../../display/DownloadButton.tsx";
import { PageHeader, Row as SideBySide, usePhone } from "../../layout.tsx";
import type { ResourceList } from "./resource-list.ts";
import { useList } from "./use-list.tsx";

type Props<Row, Query, Data> = Readonly<{ list: ResourceList<Row, Query, Data> }>;

type PageProps<Row, Query, Data> = Props<Row, Query, Data> &
  Readonly<{
    /** Stands in the page's head, before what the description has there. */
    header?: ReactNode;
    /** Stands between the page's head and the list. */
    notice?: ReactNode;
  }>;

/** Draws a list from its description, as a page. */
export function ListPage<Row extends RowData, Query, Data>({ list, header, notice }: PageProps<Row, Query, Data>) {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const { add, tools, download, body } = useList(list, { isPage: true, isMain: true });
  return (
    <>
      <PageHeader
        title={t(list.text("title"))}
        purpose={t(list.text("purpose"))}
        actions={
          <SideBySide>
            {header}
            {!isPhone && tools}
            {download && <DownloadButton request={download} />}
            {add}
          </SideBySide>
        }
      />
      {isPhone && tools && (
        <SideBySide wrap sx={{ mb: 3 }}>
          {tools}
        </SideBySide>
      )}
      {notice}
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
