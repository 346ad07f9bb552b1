/** The site: its sections, and where a page stands in the sidebar of its own. */
import { defineConfig } from 'vitepress'
import { codeColours } from './codeColours.ts'
import { addLiveCode } from './live/markdown.ts'
import { sidebarOf } from './sidebar.ts'
import { wholePages, withWholePage } from './wholePages.ts'

/** The sections, each a folder of pages with a sidebar of its own. */
const SECTIONS = {
  guide: 'Guide',
  clients: 'Clients',
  anywhere: 'Run it anywhere',
  features: 'Features',
  reference: 'Reference',
  internals: 'Internals',
}

/** Shorter texts of sections above the pages. */
const NAV_TEXTS: Readonly<Record<string, string>> = { anywhere: 'Anywhere' }

// A site in development writes no head of its own.
const colours = process.env['NODE_ENV'] === 'production' ? codeColours() : undefined

export default defineConfig({
  title: 'preseal',
  description: 'An EVM chain inside your process, with 200 ms pre-confirmations.',
  lang: 'en',
  cleanUrls: false,
  // One file has what all pages need to know of the site, rather than each page.
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  // The wire specification has placeholders in braces, which are not expressions.
  srcExclude: ['snippets/**', 'README.md'],
  ...(colours && { transformHead: colours.transformHead }),
  transformHtml: withWholePage,
  markdown: {
    ...colours?.markdown,
    config: addLiveCode,
    // GitHub's themes, in the variants whose contrast is at least 4.5 : 1 on the grounds of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/logo.svg',
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Guides before methods, and what was decided after both.
          searchOptions: {
            boostDocument: (page: string) =>
              page.startsWith('/internals/') ? 0.2 : page.startsWith('/reference/') ? 0.6 : 1,
          },
        },
      },
    },
    outline: [2, 3],
    externalLinkIcon: true,
    notFound: {
      title: 'There is no such page',
      quote: 'The search above finds pages by their words.',
      linkLabel: 'Go to the first page',
      linkText: 'To the first page',
    },
    nav: [
      ...Object.entries(SECTIONS).map(([folder, text]) => ({
        text: NAV_TEXTS[folder] ?? text,
        link: `/${folder}/`,
        activeMatch: `^/${folder}/`,
      })),
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: Object.fromEntries(
      Object.entries(SECTIONS).map(([folder, text]) => [`/${folder}/`, sidebarOf(folder, text)]),
    ),
  },
  vite: {
    plugins: [wholePages()],
    build: { target: 'es2022', chunkSizeWarningLimit: 2000 },
  },
})
