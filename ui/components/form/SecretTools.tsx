import Button from "@mui/material/Button";
import { CopyButton } from "../display/CopyButton.tsx";
import { Row } from "../layout.tsx";

const SECRET_BYTES = 32;

/** A new random key of Standard Webhooks. */
export const makeWebhookSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`;

type SecretToolsProps = Readonly<{
  secret: string;
  /** What the buttons say. */
  copy: string;
  generate: string;
  onGenerate: (secret: string) => void;
}>;

/** At the end of the field of a webhook's secret: makes one, and copies it. */
export const SecretTools = ({ secret, copy, generate, onGenerate }: SecretToolsProps) => (
  <Row gap={0}>
    {secret !== "" && <CopyButton text={secret} label={copy} />}
    <Button size="small" variant="text" onClick={() => onGenerate(makeWebhookSecret())}>
      {generate}
    </Button>
  </Row>
);
