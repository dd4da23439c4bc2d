import ChevronLeft from "@mui/icons-material/ChevronLeft";
import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Top from "@mui/icons-material/VerticalAlignTopOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import InputBase from "@mui/material/InputBase";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format/number.ts";
import { Row, usePhone } from "../../layout.tsx";
import { useOnceOpened } from "../../once-opened.ts";
import { Tip } from "../../tip/Tip.tsx";
import type { Paging } from "../column.ts";
import { PAGE_SIZES } from "../url-state.ts";
import type { EndlessRows } from "./use-endless-rows.ts";

const BAR = { px: 4, minHeight: 44, fontSize: 12.5, color: "text.secondary" } as const;

/** Position in the list, page size, previous and next. */
export const Pager = (paging: Paging) => {
  const { page, pageSize, total, onPage } = paging;
  const { t } = useTranslation();
  const isPhone = usePhone();
  const last = Math.max(Math.ceil(total / pageSize) - 1, 0);
  return (
    <Row sx={BAR}>
      <Position from={page * pageSize + 1} to={Math.min((page + 1) * pageSize, total)} {...paging} isLive />
      <Box sx={{ flex: 1 }} />
      <PageSize {...paging} />
      <IconButton aria-label={t("components.table.previous")} disabled={page <= 0} onClick={() => onPage(page - 1)}>
        <ChevronLeft />
      </IconButton>
      {last >= PAGES_TO_JUMP && !isPhone && <PageField key={page} page={page} last={last} onPage={onPage} />}
      <IconButton aria-label={t("components.table.next")} disabled={page >= last} onClick={() => onPage(page + 1)}>
        <ChevronRight />
      </IconButton>
    </Row>
  );
};

/** With fewer pages the buttons are enough. */
const PAGES_TO_JUMP = 2;

type PageFieldProps = Readonly<{ page: number; last: number; onPage: (page: number) => void }>;

/** The number of the page, in which another one can be typed. */
const PageField = ({ page, last, onPage }: PageFieldProps) => {
  const { t } = useTranslation();
  const [text, setText] = useState(String(page + 1));
  const go = () => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1) return setText(String(page + 1));
    const target = Math.min(number - 1, last);
    if (target === page) return setText(String(page + 1));
    onPage(target);
  };
  return (
    <Row gap={1.5} className="num">
      <InputBase
        value={text}
        inputProps={{
          "aria-label": t("components.table.page", { last: formatNumber(last + 1) }),
          inputMode: "numeric",
        }}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={go}
        onKeyDown={(event) => event.key === "Enter" && go()}
        sx={{
          width: `${String(last + 1).length + 3}ch`,
          px: 1,
          fontSize: 12.5,
          border: "1px solid",
          borderColor: "line.strong",
          borderRadius: "5px",
          "& input": { p: 0, height: 24, textAlign: "center" },
        }}
      />
      <span>/ {formatNumber(last + 1)}</span>
    </Row>
  );
};

type EndlessBarProps = Readonly<{ endless: EndlessRows; paging: Paging; newRows?: NewRows | undefined }>;

/** Rows that came in after the list was loaded. */
export type NewRows = Readonly<{ text: string; onShow: () => void }>;

/** For a list that scrolls without pages: position, new rows, what could not be loaded, and the way to the top. */
export const EndlessBar = ({ endless, paging, newRows }: EndlessBarProps) => {
  const { t } = useTranslation();
  const { total, error, inSight } = endless;
  const visible = useSyncExternalStore(inSight.subscribe, inSight.read);
  return (
    <Row
      wrap
      sx={{
        ...BAR,
        position: "sticky",
        bottom: 0,
        zIndex: 2,
        bgcolor: "surface.paper",
        borderTop: "1px solid",
        borderColor: "line.main",
      }}
    >
      <Box component="span" sx={visible.isExpected ? { visibility: "hidden" } : {}}>
        <Position from={visible.first + 1} to={Math.min(visible.last + 1, total)} {...paging} />
      </Box>
      <Box role="status" sx={{ flex: "1 1 auto", textAlign: "center", minWidth: 0 }}>
        {error ? (
          <Button size="small" variant="text" color="error" onClick={endless.onRetry}>
            {t("components.table.rowsFailed")}
          </Button>
        ) : (
          newRows && (
            <Button size="small" variant="text" color="primary" onClick={newRows.onShow}>
              {newRows.text}
            </Button>
          )
        )}
      </Box>
      <PageSize {...paging} />
      <Tip title={t("components.table.toTop")}>
        <span>
          <IconButton
            aria-label={t("components.table.toTop")}
            disabled={visible.first === 0}
            onClick={() => {
              endless.goTo(0);
              window.scrollTo(0, 0);
            }}
          >
            <Top />
          </IconButton>
        </span>
      </Tip>
    </Row>
  );
};

type PositionProps = Readonly<{ from: number; to: number; isLive?: boolean }> & Paging;

const Position = ({ from, to, total, unit, isLive = false }: PositionProps) => {
  const { t } = useTranslation();
  const range = {
    from: total === 0 ? 0 : formatNumber(from),
    to: formatNumber(to),
    total: formatNumber(total),
    unit,
  };
  return (
    <Box component="span" className="num" sx={{ whiteSpace: "nowrap" }} {...(isLive && { "aria-live": "polite" })}>
      {total === 1 ? t("components.table.rangeOne") : t("components.table.range", range)}
    </Box>
  );
};

/** The menu of page sizes, and of the list without pages where there is one. */
const PageSize = ({ pageSize, onPageSize, scroll }: Paging) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  const label = scroll?.isOn ? t("components.table.scroll") : t("components.table.perPage", { count: pageSize });
  const choose = (action: () => void) => () => {
    setAnchor(null);
    action();
  };
  return (
    <>
      <Button
        variant="text"
        size="small"
        endIcon={<ExpandMore />}
        aria-haspopup="menu"
        aria-label={label}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {isPhone ? (scroll?.isOn ? "∞" : pageSize) : label}
      </Button>
      {wasOpened && (
        <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
          {scroll && (
            <MenuItem selected={scroll.isOn} onClick={choose(scroll.onChoose)}>
              {t("components.table.scroll")}
            </MenuItem>
          )}
          {PAGE_SIZES.map((size) => (
            <MenuItem key={size} selected={!scroll?.isOn && size === pageSize} onClick={choose(() => onPageSize(size))}>
              {t("components.table.perPage", { count: size })}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
};
