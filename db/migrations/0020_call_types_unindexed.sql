DROP INDEX "logs_type_idx";--> statement-breakpoint
CREATE INDEX "logs_type_idx" ON "logs" USING btree ("type","created_at") WHERE "logs"."type" <> 2;