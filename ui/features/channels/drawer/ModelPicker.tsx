import Search from "@mui/icons-material/SearchOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format/number.ts";

type ModelPickerProps = Readonly<{
  offered: readonly string[];
  /** Groups of the offered models, by channel type. */
  groups?: readonly Readonly<{ name: string; models: readonly string[] }>[] | undefined;
  note?: string | undefined;
  chosen: readonly string[];
  onApply: (models: string[]) => void;
  onClose: () => void;
}>;

const LIST_PX = 360;
const NO_GROUPS: readonly never[] = [];

/** Selects models from a long list. Selected names that are not offered stay. */
export const ModelPicker = ({ offered, groups = NO_GROUPS, note, chosen, onApply, onClose }: ModelPickerProps) => {
  const { t } = useTranslation();
  const titleId = useId();
  const [search, setSearch] = useState("");
  const [group, setGroup] = useState("");
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set(chosen));
  const shown = useMemo(() => {
    const text = search.trim().toLowerCase();
    const within = groups.find(({ name }) => name === group)?.models ?? offered;
    return within.filter((name) => name.toLowerCase().includes(text));
  }, [offered, groups, group, search]);
  const tick = (names: readonly string[], on: boolean) => {
    const next = new Set(ticked);
    for (const name of names) on ? next.add(name) : next.delete(name);
    setTicked(next);
  };
  const tickedShown = shown.filter((name) => ticked.has(name)).length;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} fullWidth maxWidth="sm">
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("channels.form.pickTitle")}
        {note && <Box sx={{ fontSize: 12.5, fontWeight: 400, color: "text.secondary" }}>{note}</Box>}
      </DialogTitle>
      <DialogContent sx={{ pb: 0 }}>
        <OutlinedInput
          autoFocus
          fullWidth
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          placeholder={t("channels.form.pickSearch")}
          inputProps={{ "aria-label": t("channels.form.pickSearch") }}
          startAdornment={
            <InputAdornment position="start">
              <Search />
            </InputAdornment>
          }
        />
        {groups.length > 0 && (
          <Select
            native
            fullWidth
            value={group}
            onChange={(event) => setGroup(event.target.value)}
            inputProps={{ "aria-label": t("channels.form.pickGroup") }}
            sx={{ mt: 2 }}
          >
            <option value="">{t("channels.form.pickEvery")}</option>
            {groups.map(({ name, models }) => (
              <option key={name} value={name}>
                {name} ({models.length})
              </option>
            ))}
          </Select>
        )}
        <Box
          component="label"
          sx={{ display: "flex", alignItems: "center", gap: 2, height: 40, fontSize: 13, color: "text.secondary" }}
        >
          <Checkbox
            checked={shown.length > 0 && tickedShown === shown.length}
            indeterminate={tickedShown > 0 && tickedShown < shown.length}
            onChange={(event) => tick(shown, event.target.checked)}
          />
          {t("channels.form.pickAll")} ({formatNumber(shown.length)})
        </Box>
        {shown.length === 0 && (
          <Box sx={{ py: 6, textAlign: "center", color: "text.tertiary", fontSize: 13 }}>
            {t("channels.form.pickNone")}
          </Box>
        )}
        <NameCheckList names={shown} ticked={ticked} height={LIST_PX} onTick={(name, on) => tick([name], on)} />
      </DialogContent>
      <DialogActions sx={{ px: 6, py: 4 }}>
        <Button onClick={onClose}>{t("components.cancel")}</Button>
        <Button
          variant="contained"
          color="primary"
          onClick={() => {
            onApply([...ticked]);
            onClose();
          }}
        >
          {t("channels.form.pickApply", { count: ticked.size })}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

type NameCheckListProps = Readonly<{
  names: readonly string[];
  ticked: ReadonlySet<string>;
  onTick: (name: string, on: boolean) => void;
  /** Pixels. */
  height: number;
}>;

const ROW_PX = 32;

/** Names with checkboxes; only visible rows are rendered. */
export const NameCheckList = ({ names, ticked, onTick, height }: NameCheckListProps) => {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const rows = useVirtualizer({
    count: names.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <Box ref={setScroller} sx={{ height, overflowY: "auto", borderTop: "1px solid", borderColor: "line.main" }}>
      <Box sx={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const name = names[index] ?? "";
          return (
            <Box
              key={name}
              component="label"
              style={{ transform: `translateY(${start}px)` }}
              sx={{
                position: "absolute",
                insetInline: 0,
                height: ROW_PX,
                display: "flex",
                alignItems: "center",
                gap: 2,
                fontSize: 13,
                cursor: "pointer",
              }}
            >
              <Checkbox checked={ticked.has(name)} onChange={(event) => onTick(name, event.target.checked)} />
              <Box
                component="span"
                sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
                title={name}
              >
                {name}
              </Box>
            </Box>
          );
        })}
      </Box>
    </Box>
  );
};
