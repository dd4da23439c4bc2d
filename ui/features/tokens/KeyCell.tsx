import VisibilityOff from "@mui/icons-material/VisibilityOffOutlined";
import Visibility from "@mui/icons-material/VisibilityOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Row } from "../../components/layout.tsx";
import { fullKey, maskedKey, type Token } from "./token.ts";

/** A key, masked until it is asked for, and its copy button. */
export const KeyCell = ({ token }: { token: Token }) => {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const Eye = isShown ? VisibilityOff : Visibility;
  const label = isShown ? t("tokens.hide") : t("tokens.show");
  return (
    <Row gap={0.5}>
      <Box
        component="code"
        sx={isShown ? { whiteSpace: "normal", overflowWrap: "anywhere", py: 1 } : { overflow: "hidden" }}
      >
        {isShown ? fullKey(token) : maskedKey(token)}
      </Box>
      <Tooltip title={label}>
        <IconButton
          size="small"
          aria-label={label}
          onClick={(event) => {
            event.stopPropagation();
            setShown(!isShown);
          }}
        >
          <Eye />
        </IconButton>
      </Tooltip>
      <CopyButton text={fullKey(token)} label={t("tokens.copyKey")} />
    </Row>
  );
};
