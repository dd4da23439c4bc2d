import ChevronLeft from "@mui/icons-material/ChevronLeft";
import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format/number.ts";
import { Row, usePhone } from "../layout.tsx";
import type { Paging } from "./column.ts";
import { PAGE_SIZES } from "./url-state.ts";

/** Position in the list, page size, previous and next. */
export const Pager = ({ page, pageSize, total, unit, onPage, onPageSize }: Paging) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const last = Math.max(Math.ceil(total / pageSize) - 1, 0);
  const range = {
    from: total === 0 ? 0 : formatNumber(page * pageSize + 1),
    to: formatNumber(Math.min((page + 1) * pageSize, total)),
    total: formatNumber(total),
    unit,
  };
  return (
    <Row sx={{ px: 4, minHeight: 44, fontSize: 12.5, color: "text.secondary" }}>
      <Box component="span" className="num" aria-live="polite">
        {t("components.table.range", range)}
      </Box>
      <Box sx={{ flex: 1 }} />
      <Button
        variant="text"
        size="small"
        endIcon={<ExpandMore />}
        aria-haspopup="menu"
        aria-label={t("components.table.perPage", { count: pageSize })}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {isPhone ? pageSize : t("components.table.perPage", { count: pageSize })}
      </Button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {PAGE_SIZES.map((size) => (
          <MenuItem
            key={size}
            selected={size === pageSize}
            onClick={() => {
              setAnchor(null);
              onPageSize(size);
            }}
          >
            {t("components.table.perPage", { count: size })}
          </MenuItem>
        ))}
      </Menu>
      <IconButton aria-label={t("components.table.previous")} disabled={page <= 0} onClick={() => onPage(page - 1)}>
        <ChevronLeft />
      </IconButton>
      <IconButton aria-label={t("components.table.next")} disabled={page >= last} onClick={() => onPage(page + 1)}>
        <ChevronRight />
      </IconButton>
    </Row>
  );
};
