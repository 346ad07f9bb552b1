/** The package's declarations under strict settings, both ways of resolving them, and their own correctness. */
import { describe, expect, it } from 'vitest'
import { installPackages } from './install.ts'
import { findNewest, OLDEST, PEERS } from './peers.ts'
import { createProject, type Project, toolCommand } from './project.ts'
import type { Output } from './run.ts'
import { CLIENTS, PRINTED, typeScript } from './stories.ts'

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  target: 'es2022',
  types: ['node'],
  skipLibCheck: false,
  outDir: 'out',
}

const MAIN = `
import { createChain, type PresealChain } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { createHandler, serve } from 'preseal/server'
import { chainTransport } from 'preseal/viem'
import type { RemoteChain } from 'preseal/worker'
import { createPublicClient } from 'viem'
import { clients } from './clients.js'
import { story } from './story.js'

// Runs first, since it observes which WebAssembly is loaded.
const storyResult = await story()
const chain: PresealChain = await createChain({ mining: 'manual' })
export type Seal = RemoteChain['seal']
const block = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
const gas: \`0x\${string}\` | undefined = block?.gasLimit
const numbers: readonly [bigint, number, string | undefined] = [
  await createPublicClient({ transport: chainTransport(chain) }).getBlockNumber(),
  await new PresealProvider(chain).getBlockNumber(),
  gas,
]
const answer: Response = await createHandler(chain.preconf)(
  new Request('http://localhost:8545', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  }),
)
const server = await serve(chain, { port: 0, preconfPort: 0 })
await server.close()
await chain.close()
const result = { numbers, answer: await answer.json(), story: storyResult, clients: await clients() }
console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
`

/** The ways of module resolution; for node16, viem's own dependencies have invalid declarations. */
const RESOLUTIONS = [
  { name: 'node16', options: { module: 'node16', moduleResolution: 'node16', skipLibCheck: true } },
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' } },
]

describe('the package in TypeScript', async () => {
  describe.each(RESOLUTIONS)('with moduleResolution $name', ({ options }) => {
    it('compiles and runs', async () => {
      const project = await createProject({
        tools: ['@types/node', 'ethers', 'viem'],
        files: {
          ...typeScript,
          'main.ts': MAIN,
          'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, include: ['*.ts'] }),
        },
      })
      const compiled = await project.run(toolCommand('tsc'), [])
      expect(compiled.stdout).toBe('')
      const { stdout } = await project.run(process.execPath, ['out/main.js'])
      expect(JSON.parse(stdout)).toEqual({
        ...PRINTED,
        numbers: ['0', 0, '0x1c9c380'],
        answer: { jsonrpc: '2.0', id: 1, result: '0x7a69' },
      })
    })
  })

  /** Uses of viem, ethers and vitest that have to compile, in addition to the clients' story. */
  const PEER_MAIN = `
import { BrowserProvider, type TransactionReceipt as EthersReceipt } from 'ethers'
import { createChain, createManualClock, type ManualClock, type PresealChain } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { chainTransport, preconfActions, preseal, toViemChain } from 'preseal/viem'
import { createPublicClient, createWalletClient, custom, type TransactionReceipt, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { clients } from './clients.js'

const chain: PresealChain<ManualClock> = await createChain({ clock: createManualClock() })
const [alice] = chain.accounts
const account = privateKeyToAccount(alice.privateKey)

const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) }).extend(preconfActions())
const wallet = createWalletClient({ account, chain: preseal, transport: chainTransport(chain) }).extend(preconfActions())
const hash = await wallet.sendTransaction({ to: alice.address, value: 1n })
const waiting: Promise<TransactionReceipt> = client.waitForPreconfirmation({ hash })
const provider = new PresealProvider(chain)
const waited: Promise<EthersReceipt | null> = provider.waitForTransaction(hash)
const unwatch = client.watchPreconfBlocks({ onPreconfBlock: ({ block }) => void (block.number satisfies bigint) })
client.watchPreconfTransactions({ onTransactions: (hashes) => void (hashes satisfies \`0x\${string}\`[]) })()
client.watchPendingLogs({ onLogs: (logs) => void logs[0]?.topics })()
await chain.clock.advance(200)
unwatch()
export const onBase = () => createPublicClient({ chain: base, transport: webSocket() }).extend(preconfActions())
const seen = [
  (await waiting).status,
  (await waited)?.status,
  (await client.getTransactionStatus({ hash })).stage,
  toViemChain(chain).id,
  await createPublicClient({ chain: preseal, transport: custom(chain.preconf) }).getChainId(),
  Number((await new BrowserProvider(chain.preconf).getNetwork()).chainId),
]
await chain.close()
const result = { seen, clients: await clients() }
console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
`

  const PEER_TEST = `
import { PresealProvider } from 'preseal/ethers'
import { chainTransport, preseal } from 'preseal/viem'
import { createChainTest } from 'preseal/vitest'
import { createPublicClient } from 'viem'

const onChain = createChainTest({ deploy: ({ chain }) => chain.accounts[0].address })

onChain('is compiled', async ({ chain, clock, deployed, expect }) => {
  await chain.clock.advance(clock.elapsed)
  const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) })
  const balances = [await client.getBalance({ address: deployed }), await new PresealProvider(chain).getBalance(deployed)]
  expect(balances[0]).toBe(balances[1])
})
`

  const newest = await findNewest()

  describe.each([OLDEST, newest])('with viem $viem and ethers $ethers', (versions) => {
    it.each(RESOLUTIONS)('compiles and runs with moduleResolution $name', async ({ options }) => {
      const peers = await installPackages('peers', versions)
      const project = await createProject({
        tools: ['@types/node', 'vitest'],
        others: Object.fromEntries(PEERS.map((name) => [name, peers])),
        files: {
          'clients.ts': typeScript['clients.ts'],
          'main.ts': PEER_MAIN,
          'chain.test.ts': PEER_TEST,
          'tsconfig.json': JSON.stringify({
            compilerOptions: { ...STRICT, ...options, skipLibCheck: false },
            include: ['*.ts'],
          }),
        },
      })
      expect(await compile(project)).toEqual([])
      const { stdout } = await project.run(process.execPath, ['out/main.js'])
      expect(JSON.parse(stdout)).toEqual({
        seen: ['success', 1, 'preconfirmed', 31_337, 31_337, 31_337],
        clients: CLIENTS,
      })
    })
  })

  /** Compiles a project. @returns the errors in it and in the package, ignoring those of other declarations. */
  async function compile(project: Project): Promise<readonly string[]> {
    const { stdout } = await project
      .run(toolCommand('tsc'), ['--noEmitOnError', 'false'])
      .catch(({ cause }: { readonly cause: Output }) => cause)
    const errors = stdout.split(/\n(?=\S)/)
    return errors
      .filter((error) => /^(\w[^/]*|node_modules\/preseal\/.*)\(\d+,\d+\): error/.test(error))
      .map((error) => error.split('\n')[0]!)
  }

  // CommonJS cannot require an ES module under node16, so there is no viem there.
  it('compiles in CommonJS', async () => {
    const project = await createProject({
      type: 'commonjs',
      tools: ['@types/node', 'ethers', 'viem'],
      files: {
        ...typeScript,
        'main.ts': `
import { clients } from './clients.js'
import { story } from './story.js'
async function main() {
  const result = { story: await story(), clients: await clients() }
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
}
void main()
`,
        'tsconfig.json': JSON.stringify({
          compilerOptions: { ...STRICT, module: 'nodenext' },
          include: ['*.ts'],
        }),
      },
    })
    expect((await project.run(toolCommand('tsc'), [])).stdout).toBe('')
    expect(JSON.parse((await project.run(process.execPath, ['out/main.js'])).stdout)).toEqual(PRINTED)
  })

  it.each(['module', 'commonjs'] as const)('needs no library but the language, in %s', async (type) => {
    const project = await createProject({
      type,
      files: {
        'main.ts': `
import { createChain, type SealedBlock } from 'preseal'
export const sealed: Promise<SealedBlock> = createChain().then((chain) => chain.seal())
`,
        'tsconfig.json': JSON.stringify({
          compilerOptions: { ...STRICT, module: 'node16', lib: ['es2022'], types: [] },
        }),
      },
    })
    expect((await project.run(toolCommand('tsc'), [])).stdout).toBe('')
  })
})
