import Box from "@mui/material/Box";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Row } from "../../../../components/layout.tsx";

type HomeRowProps = Readonly<{
  name: ReactNode;
  /** Below the name. */
  detail?: ReactNode;
  /** Where the row leads. */
  to?: string | undefined;
  search?: Readonly<Record<string, string | number>>;
  children: ReactNode;
}>;

/** A line of a short list: what it is, where it leads, and its figure. */
export const HomeRow = ({ name, detail, to, search = {}, children }: HomeRowProps) => (
  <Row
    gap={3}
    sx={{ py: 1.75, borderTop: "1px solid", borderColor: "line.faint", "&:first-of-type": { borderTop: 0 } }}
  >
    <Box sx={{ flex: 1, minWidth: 0, fontSize: 13, overflowWrap: "anywhere" }}>
      {to === undefined ? (
        name
      ) : (
        <Link to={to} search={() => search}>
          {name}
        </Link>
      )}
      {detail && <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{detail}</Box>}
    </Box>
    {children}
  </Row>
);
