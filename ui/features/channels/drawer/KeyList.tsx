import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { maskKey, splitKeys } from "../keys.ts";

/** Several new keys, one a row, masked; more can be pasted below. */
export const KeyList = ({ keys, onChange }: { keys: readonly string[]; onChange: (keys: string[]) => void }) => {
  const { t } = useTranslation();
  const [more, setMore] = useState("");
  const add = () => {
    onChange([...new Set([...keys, ...splitKeys(more)])]);
    setMore("");
  };
  return (
    <Box sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
      <Box sx={{ maxHeight: 240, overflowY: "auto" }}>
        {keys.map((key, index) => (
          <Row
            key={key}
            gap={3}
            sx={{ height: 36, px: 3, borderTop: index ? "1px solid" : 0, borderColor: "line.faint" }}
          >
            <code>{maskKey(key)}</code>
            <Box sx={{ flex: 1 }} />
            <IconButton
              size="small"
              aria-label={t("channels.form.removeKey", { key: maskKey(key) })}
              onClick={() => onChange(keys.filter((other) => other !== key))}
            >
              <Delete />
            </IconButton>
          </Row>
        ))}
      </Box>
      <Row sx={{ p: 2, borderTop: "1px solid", borderColor: "line.main", bgcolor: "surface.sunken" }}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary", whiteSpace: "nowrap", px: 1 }}>
          {t("channels.form.severalFound", { count: keys.length })}
        </Box>
        <OutlinedInput
          fullWidth
          multiline
          maxRows={4}
          value={more}
          placeholder={t("channels.form.addKeysPlaceholder")}
          inputProps={{ className: "mono", "aria-label": t("channels.form.addKeysPlaceholder"), spellCheck: false }}
          onChange={(event) => setMore(event.target.value)}
        />
        <Button disabled={more.trim() === ""} onClick={add}>
          {t("channels.form.addKeys")}
        </Button>
      </Row>
    </Box>
  );
};
