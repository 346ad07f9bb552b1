/** Blocks of code with `live` after their language become components that run them. */
import { readFileSync } from 'node:fs'
import type { MarkdownRenderer } from 'vitepress'

/** Of an imported file, the block shows a region if there is one, and the component has the whole file. */
export function addLiveCode({ renderer }: MarkdownRenderer): void {
  const { fence } = renderer.rules
  renderer.rules.fence = (...args) => {
    const [tokens, index] = args
    const token = tokens[index]! as (typeof tokens)[number] & { src?: [path: string, region?: string] }
    const isLive = /\slive\b/.test(token.info)
    const html = fence!(...args)
    if (!isLive) return html
    const source = token.src === undefined ? token.content : readFileSync(token.src[0], 'utf8')
    return `<LiveCode source="${encodeURIComponent(source).replaceAll("'", '%27')}">${html}</LiveCode>`
  }
}
