import TableCell from "@mui/material/TableCell";
import TableRow from "@mui/material/TableRow";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Fragment, type ReactNode, useRef } from "react";

type Props = Readonly<{
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** Columns of the table. */
  span: number;
  render: (index: number) => ReactNode;
}>;

/** Rows drawn beyond both edges of the window, so that the keyboard always finds the next. */
const OVERSCAN = 20;

/** Rows of a table of which only those near the window are drawn; what is left out is blank space of the same height. */
export const VirtualRows = ({ count, rowHeight, span, render }: Props) => {
  const top = useRef<HTMLTableRowElement>(null);
  const margin = top.current ? top.current.getBoundingClientRect().top + window.scrollY : 0;
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: margin,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  return (
    <>
      <TableRow ref={top} aria-hidden>
        <Blank span={span} height={first * rowHeight} />
      </TableRow>
      {items.map(({ index, key }) => (
        <Fragment key={key}>{render(index)}</Fragment>
      ))}
      <TableRow aria-hidden>
        <Blank span={span} height={(count - 1 - last) * rowHeight} />
      </TableRow>
    </>
  );
};

const Blank = ({ span, height }: { span: number; height: number }) => (
  <TableCell colSpan={span} sx={{ p: "0 !important", border: 0, height: `${height}px !important` }} />
);
