import Visibility from "@mui/icons-material/VisibilityOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Popover from "@mui/material/Popover";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fullKey, maskedKey, type Token } from "../../api/api-keys/api-key.ts";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { Tag } from "../../components/display/Tag.tsx";
import { Row } from "../../components/layout.tsx";
import { useOnceOpened } from "../../components/once-opened.ts";
import { Tip } from "../../components/tip/Tip.tsx";
import { exactTime } from "../../lib/format/time.ts";

/** A masked key with buttons to reveal and copy it. */
export const KeyCell = ({ token }: { token: Token }) => {
  const { t, i18n } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  if (token.application !== undefined)
    return (
      <Box>
        <Tag>{t("apiKeys.application.keyOf", { client: token.application })}</Tag>
      </Box>
    );
  // Members of an organization who may not see it get none.
  if (token.key === "") return <code>sk-…</code>;
  return (
    <Row gap={0.5}>
      <Box component="code" sx={{ overflow: "hidden" }}>
        {maskedKey(token)}
      </Box>
      <Tip title={t("apiKeys.show")}>
        <IconButton
          size="small"
          aria-label={t("apiKeys.show")}
          aria-haspopup="dialog"
          onClick={(event) => {
            event.stopPropagation();
            setAnchor(event.currentTarget);
          }}
        >
          <Visibility />
        </IconButton>
      </Tip>
      <CopyButton text={fullKey(token)} label={t("apiKeys.copyKey")} />
      {wasOpened && (
        <Popover
          open={anchor !== null}
          anchorEl={anchor}
          onClose={() => setAnchor(null)}
          onClick={(event) => event.stopPropagation()}
          anchorOrigin={{ vertical: "bottom", horizontal: "center" }}
          transformOrigin={{ vertical: "top", horizontal: "center" }}
          slotProps={{
            paper: { role: "dialog", "aria-label": token.name, sx: { mt: 1, px: 4, py: 3, maxWidth: 520 } },
          }}
        >
          <Box sx={{ mb: 1, fontSize: 12.5, color: "text.secondary", overflowWrap: "anywhere" }}>{token.name}</Box>
          <Row gap={2}>
            <Box component="code" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
              {fullKey(token)}
            </Box>
            <CopyButton text={fullKey(token)} label={t("apiKeys.copyKey")} />
          </Row>
          {token.previous_key_until > Date.now() / 1000 && (
            <Box sx={{ mt: 1, fontSize: 12.5, color: "text.secondary" }}>
              {t("apiKeys.previousKey", { time: exactTime(token.previous_key_until, i18n.language) })}
            </Box>
          )}
        </Popover>
      )}
    </Row>
  );
};
