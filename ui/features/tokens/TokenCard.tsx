import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../components/layout.tsx";
import { KeyCell } from "./KeyCell.tsx";
import { QuotaCell } from "./QuotaCell.tsx";
import { TokenStatus } from "./TokenStatus.tsx";
import { ENABLED, type Token } from "./token.ts";

/** A key on a phone: whether it works, the key itself, what it spent. */
export const TokenCard = ({ token, onToggle }: { token: Token; onToggle: (token: Token) => void }) => {
  const { t } = useTranslation();
  return (
    <Col gap={2}>
      <Row gap={2.5}>
        <Switch
          checked={token.status === ENABLED}
          onChange={() => onToggle(token)}
          slotProps={{ input: { "aria-label": t("tokens.toggle", { name: token.name }) } }}
        />
        <TokenStatus token={token} />
      </Row>
      <KeyCell token={token} />
      <Box sx={{ fontSize: 12.5 }}>
        <QuotaCell token={token} />
      </Box>
    </Col>
  );
};
