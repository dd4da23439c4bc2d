import ai360 from "@lobehub/icons-static-svg/icons/ai360-color.svg";
import alibaba from "@lobehub/icons-static-svg/icons/alibabacloud-color.svg";
import aws from "@lobehub/icons-static-svg/icons/aws.svg";
import azure from "@lobehub/icons-static-svg/icons/azure-color.svg";
import baai from "@lobehub/icons-static-svg/icons/baai.svg";
import baidu from "@lobehub/icons-static-svg/icons/baidu-color.svg";
import bedrock from "@lobehub/icons-static-svg/icons/bedrock-color.svg";
import bfl from "@lobehub/icons-static-svg/icons/bfl.svg";
import bytedance from "@lobehub/icons-static-svg/icons/bytedance-color.svg";
import claude from "@lobehub/icons-static-svg/icons/claude-color.svg";
import cloudflare from "@lobehub/icons-static-svg/icons/cloudflare-color.svg";
import cohere from "@lobehub/icons-static-svg/icons/cohere-color.svg";
import deepseek from "@lobehub/icons-static-svg/icons/deepseek-color.svg";
import dify from "@lobehub/icons-static-svg/icons/dify-color.svg";
import elevenLabs from "@lobehub/icons-static-svg/icons/elevenlabs.svg";
import fastgpt from "@lobehub/icons-static-svg/icons/fastgpt-color.svg";
import fireworks from "@lobehub/icons-static-svg/icons/fireworks-color.svg";
import gemini from "@lobehub/icons-static-svg/icons/gemini-color.svg";
import google from "@lobehub/icons-static-svg/icons/google-color.svg";
import groq from "@lobehub/icons-static-svg/icons/groq.svg";
import huggingface from "@lobehub/icons-static-svg/icons/huggingface-color.svg";
import hunyuan from "@lobehub/icons-static-svg/icons/hunyuan-color.svg";
import ideogram from "@lobehub/icons-static-svg/icons/ideogram.svg";
import jimeng from "@lobehub/icons-static-svg/icons/jimeng-color.svg";
import jina from "@lobehub/icons-static-svg/icons/jina.svg";
import kling from "@lobehub/icons-static-svg/icons/kling-color.svg";
import meta from "@lobehub/icons-static-svg/icons/meta-color.svg";
import midjourney from "@lobehub/icons-static-svg/icons/midjourney.svg";
import minimax from "@lobehub/icons-static-svg/icons/minimax-color.svg";
import mistral from "@lobehub/icons-static-svg/icons/mistral-color.svg";
import moonshot from "@lobehub/icons-static-svg/icons/moonshot.svg";
import nvidia from "@lobehub/icons-static-svg/icons/nvidia-color.svg";
import ollama from "@lobehub/icons-static-svg/icons/ollama.svg";
import openai from "@lobehub/icons-static-svg/icons/openai.svg";
import openrouter from "@lobehub/icons-static-svg/icons/openrouter.svg";
import palm from "@lobehub/icons-static-svg/icons/palm-color.svg";
import perplexity from "@lobehub/icons-static-svg/icons/perplexity-color.svg";
import qwen from "@lobehub/icons-static-svg/icons/qwen-color.svg";
import recraft from "@lobehub/icons-static-svg/icons/recraft.svg";
import runway from "@lobehub/icons-static-svg/icons/runway.svg";
import siliconcloud from "@lobehub/icons-static-svg/icons/siliconcloud-color.svg";
import spark from "@lobehub/icons-static-svg/icons/spark-color.svg";
import stepfun from "@lobehub/icons-static-svg/icons/stepfun-color.svg";
import suno from "@lobehub/icons-static-svg/icons/suno.svg";
import tencent from "@lobehub/icons-static-svg/icons/tencent-color.svg";
import together from "@lobehub/icons-static-svg/icons/together-color.svg";
import vertexai from "@lobehub/icons-static-svg/icons/vertexai-color.svg";
import vidu from "@lobehub/icons-static-svg/icons/vidu-color.svg";
import vllm from "@lobehub/icons-static-svg/icons/vllm-color.svg";
import volcengine from "@lobehub/icons-static-svg/icons/volcengine-color.svg";
import voyage from "@lobehub/icons-static-svg/icons/voyage-color.svg";
import wenxin from "@lobehub/icons-static-svg/icons/wenxin-color.svg";
import xai from "@lobehub/icons-static-svg/icons/xai.svg";
import xinference from "@lobehub/icons-static-svg/icons/xinference-color.svg";
import zeroone from "@lobehub/icons-static-svg/icons/zeroone.svg";
import zhipu from "@lobehub/icons-static-svg/icons/zhipu-color.svg";

export type ProviderLogo = Readonly<{
  /** The address of an SVG image. */
  address: string;
  /** Of one color: drawn in that of the text. */
  isPlain: boolean;
}>;

const colored = (address: string): ProviderLogo => ({ address, isPlain: false });
const plain = (address: string): ProviderLogo => ({ address, isPlain: true });

/** Logos by patterns of provider names; the first match wins. */
const LOGOS: readonly (readonly [RegExp, ProviderLogo])[] = [
  [/azure/i, colored(azure)],
  [/vertex/i, colored(vertexai)],
  [/palm/i, colored(palm)],
  [/gemini/i, colored(gemini)],
  [/google/i, colored(google)],
  [/bedrock/i, colored(bedrock)],
  [/^aws/i, plain(aws)],
  [/claude|anthropic/i, colored(claude)],
  [/openrouter/i, plain(openrouter)],
  [/openai/i, plain(openai)],
  [/deepseek/i, colored(deepseek)],
  [/qwen/i, colored(qwen)],
  [/alibaba/i, colored(alibaba)],
  [/moonshot/i, plain(moonshot)],
  [/zhipu|glm/i, colored(zhipu)],
  [/volcengine/i, colored(volcengine)],
  [/bytedance/i, colored(bytedance)],
  [/wenxin/i, colored(wenxin)],
  [/baidu/i, colored(baidu)],
  [/hunyuan/i, colored(hunyuan)],
  [/tencent/i, colored(tencent)],
  [/minimax/i, colored(minimax)],
  [/spark|iflytek/i, colored(spark)],
  [/^360/i, colored(ai360)],
  [/01\.?ai/i, plain(zeroone)],
  [/xai/i, plain(xai)],
  [/mistral/i, colored(mistral)],
  [/cohere/i, colored(cohere)],
  [/perplexity/i, colored(perplexity)],
  [/jina/i, plain(jina)],
  [/^meta/i, colored(meta)],
  [/baai/i, plain(baai)],
  [/stepfun/i, colored(stepfun)],
  [/silicon/i, colored(siliconcloud)],
  [/groq/i, plain(groq)],
  [/together/i, colored(together)],
  [/fireworks/i, colored(fireworks)],
  [/nvidia/i, colored(nvidia)],
  [/hugging/i, colored(huggingface)],
  [/cloudflare/i, colored(cloudflare)],
  [/ollama/i, plain(ollama)],
  [/dify/i, colored(dify)],
  [/fastgpt/i, colored(fastgpt)],
  [/vllm/i, colored(vllm)],
  [/xinference/i, colored(xinference)],
  [/midjourney/i, plain(midjourney)],
  [/suno/i, plain(suno)],
  [/kling/i, colored(kling)],
  [/vidu/i, colored(vidu)],
  [/runway/i, plain(runway)],
  [/black forest/i, plain(bfl)],
  [/ideogram/i, plain(ideogram)],
  [/recraft/i, plain(recraft)],
  [/voyage/i, colored(voyage)],
  [/jimeng/i, colored(jimeng)],
  [/eleven\s?labs/i, plain(elevenLabs)],
];

/** The logo of a provider or a maker of models by its name; undefined: none known. */
export const logoOf = (name: string): ProviderLogo | undefined => LOGOS.find(([names]) => names.test(name))?.[1];
