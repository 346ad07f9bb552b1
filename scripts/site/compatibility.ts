/** What the package is tried with: the versions come from the manifests that the trials of `test/package/` install. */
import { readFileSync } from 'node:fs'
import { type Page, page, table } from './markdown.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest

/** A range of npm in words: its lowest version, and the major versions that it allows. */
function words(range: string): string {
  const parts = range.split(' || ').map((part) => part.replace(/^\^/, ''))
  return parts.map((part) => `${part.replace(/\.0$/, '')} and later ${part.split('.')[0]}.x`).join(', ')
}

/** The page of compatibility. */
export function compatibilityPage(): Page {
  const { peerDependencies: peers = {}, devDependencies: own = {} } = manifest('package.json')
  const tools = manifest('test/package/tools/package.json')
  const versionOf = (name: string) => tools.dependencies?.[name] ?? own[name] ?? ''
  const nodeOf = (major: string) =>
    /@([\d.]+)$/.exec(tools.optionalDependencies?.[`node${major}-linux-x64`] ?? '')?.[1] ?? ''
  const folders = ['playwright', 'prool', 'web'] as const
  const trial = (name: string): string => {
    for (const folder of folders) {
      const { dependencies, devDependencies } = manifest(`test/package/${folder}/package.json`)
      const found = dependencies?.[name] ?? devDependencies?.[name]
      if (found !== undefined) return found.replace(/^npm:.*@/, '')
    }
    return versionOf(name)
  }
  const peer = (name: string) => words(peers[name] ?? '')
  return page(
    'internals/compatibility.md',
    'Compatibility',
    [
      'What `npm run test:package` tries: the packed package, installed into empty projects, and what the tests of the repository use. The same stories run everywhere, ' +
        'with the same block hashes.',
      '## Runtimes',
      table(
        ['runtime', 'tried with', 'how'],
        [
          ['Node 20', '20.x', 'imported and required; the server; the command line'],
          ['Node 22', nodeOf('22'), 'imported and required; Hardhat 3; MSW; vitest 5'],
          ['Node 24', nodeOf('24'), 'imported and required'],
          ['Bun', versionOf('bun'), 'imported and required; the command line'],
          [
            'Deno',
            versionOf('deno'),
            'imported, without permissions; with viem and ethers; the command line',
          ],
          [
            'Chromium',
            `an installed one, driven by Playwright ${own['playwright'] ?? ''}`,
            'in a page and in a worker, built by Vite, also under a strict Content-Security-Policy; in a service worker',
          ],
          [
            'Firefox',
            '153 ESR',
            'in a page and in workers, built by Vite, also under a strict Content-Security-Policy; viem and ethers; IndexedDB; random programs on both engines; live code and the playground of this site',
          ],
        ],
      ),
      'Other browsers are not tried. The build is ES2022; WebAssembly and workers are used where they are allowed.',
      '## Clients',
      table(
        ['package', 'allowed', 'tried with'],
        [
          ['`viem`', peer('viem'), 'the oldest and the newest version of the range, with its declarations'],
          [
            '`ethers`',
            peer('ethers'),
            'the oldest and the newest version of the range, with its declarations',
          ],
          ['`web3`', 'any', own['web3'] ?? ''],
          ['`wagmi` (`@wagmi/core`)', 'any', own['@wagmi/core'] ?? ''],
          [
            '`typescript`',
            '5.x',
            `${versionOf('typescript')}, strict, with \`moduleResolution\` \`node16\`, \`nodenext\` and \`bundler\``,
          ],
        ],
      ),
      '## Tools',
      table(
        ['package', 'allowed', 'tried with'],
        [
          [
            '`vitest`',
            peer('vitest'),
            `${versionOf('vitest')}, in the environments \`node\`, \`jsdom\` and \`happy-dom\`; the newest 3.x; the newest 5.x, which needs Node 22`,
          ],
          ['`jest`', 'any', `${versionOf('jest')}, in the environments \`node\` and \`jsdom\``],
          ['`mocha`', 'any', versionOf('mocha')],
          [
            '`@playwright/test`',
            peer('@playwright/test'),
            `the oldest of the range, and ${trial('@playwright/test')}`,
          ],
          [
            '`hardhat` 2',
            'over HTTP',
            manifest('test/package/hardhat2/package.json').dependencies?.['hardhat'] ?? '',
          ],
          [
            '`hardhat` 3',
            peer('hardhat'),
            `the oldest of the range, and ${manifest('test/package/hardhat3/package.json').dependencies?.['hardhat'] ?? ''}`,
          ],
          ['`classic-level`', peer('classic-level'), own['classic-level'] ?? ''],
          ['`vite`', 'any', versionOf('vite')],
          ['`prool`', 'any', trial('prool')],
          ['`msw`', 'any', trial('msw')],
          ['`storybook`', 'any', trial('storybook')],
        ],
      ),
    ],
    { order: 70 },
  )
}
