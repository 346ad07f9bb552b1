/** The colours of code as a few classes, in place of a style on each word, which would be a fifth of the site. */
import { transformerStyleToClass } from '@shikijs/transformers'
import type { UserConfig } from 'vitepress'

/** What the configuration of a built site adds for it. */
export function codeColours(): Required<Pick<UserConfig, 'markdown' | 'transformHead'>> {
  const names = new Map<string, string>()
  const transformer = transformerStyleToClass({
    classReplacer(name) {
      const short = names.get(name) ?? `code-${names.size}`
      names.set(name, short)
      return short
    },
  })
  return {
    markdown: { codeTransformers: [transformer] },
    // All pages have been rendered before the first head is written.
    transformHead: () => [['style', {}, transformer.getCSS()]],
  }
}
