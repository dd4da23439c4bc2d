import { Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { CodeStatus } from "./CodeStatus.tsx";
import type { Code } from "./code.ts";

/** A code on a phone: whether it can be redeemed, and what it is worth. */
export const CodeCard = ({ code }: { code: Code }) => (
  <Row sx={{ justifyContent: "space-between" }}>
    <CodeStatus code={code} />
    <Money quota={code.quota} strong />
  </Row>
);
