/** The package's declarations under strict settings, both ways of resolving them, and their own correctness. */
import { describe, expect, it } from 'vitest'
import { createProject, toolCommand } from './project.ts'
import { PRINTED, typeScript } from './stories.ts'

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
import { type Chain, createChain } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { createHandler, serve } from 'preseal/server'
import { inProcess } from 'preseal/viem'
import type { RemoteChain } from 'preseal/worker'
import { createPublicClient } from 'viem'
import { clients } from './clients.js'
import { story } from './story.js'

// Told first: it watches WebAssembly being loaded.
const told = await story()
const chain: Chain = await createChain({ mining: 'manual' })
export type Seal = RemoteChain['seal']
const block = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
const gas: \`0x\${string}\` | undefined = block?.gasLimit
const numbers: readonly [bigint, number, string | undefined] = [
  await createPublicClient({ transport: inProcess(chain) }).getBlockNumber(),
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
const result = { numbers, answer: await answer.json(), story: told, clients: await clients() }
console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
`

/** How the program is resolved; for node16, viem's own dependencies have declarations that do not hold. */
const RESOLUTIONS = [
  { name: 'node16', options: { module: 'node16', moduleResolution: 'node16', skipLibCheck: true } },
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' } },
]

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

// node16 knows no CommonJS that requires an ES module, and so has no viem there.
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
