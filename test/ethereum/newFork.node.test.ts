import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { hexToBytes } from '../../src/base/bytes.ts'
import { InvalidOptionError } from '../../src/base/errors.ts'
import type { Address, GethGenesis, Hex } from '../../src/base/types.ts'
import type { RemoteBlock } from '../../src/core/fork/answers.ts'
import { hardforkByConfig, hardforkByHeader } from '../../src/core/fork/forkedBlock.ts'
import { resolveOptions } from '../../src/core/options.ts'
import { decodeBlock, encodeBlock } from '../../src/ethereum/blockEncoding.ts'
import { compilation } from '../../src/ethereum/evm/engine/hotCode.ts'
import { toEvmWord } from '../../src/ethereum/evm/engine/word.ts'
import { type Fork, type Hardfork, NEXT_FIELD } from '../../src/ethereum/forks.ts'
import type { Header } from '../../src/ethereum/header.ts'
import { createChainRules, HARDFORKS, hardforkConfig } from '../../src/ethereum/rules.ts'
import { type ChainOptions, createChain, type PresealChain } from '../../src/index.ts'
import { parseArguments } from '../../src/kits/cli/arguments.ts'
import { OPTIONS } from '../../src/kits/cli/flags.ts'
import { findProblems, type ResolvedNetwork, resolveNetwork } from '../../src/kits/hardhat/config.ts'
import { word } from '../words.ts'
import { bytecode } from './evm/engine/assembly.ts'

// All that a fork with opcodes and a field of headers needs: its row, and an instruction for each opcode.

// Files of tests share their modules: this one has its own, with another list of forks.
vi.hoisted(() => vi.resetModules())

vi.mock('../../src/ethereum/forks.ts', async (original) => {
  const forks = await original<typeof import('../../src/ethereum/forks.ts')>()
  const row: Fork = {
    name: 'tomorrow',
    field: 'tomorrowTime',
    timed: true,
    header: { dayOfWeek: { format: { bits: 64 }, empty: 5n } },
    opcodes: [
      [0x4b, 'WEEKDAY', 0, 1, 2],
      [0x4c, 'DAYSUM', 2, 1, 3],
    ],
    systemContracts: { CALENDAR_ADDRESS: `0x${'ca'.repeat(20)}` },
  }
  return { ...forks, FORKS: [...forks.FORKS, row] }
})

vi.mock('../../src/ethereum/evm/engine/instructions/environment.ts', async (original) => {
  const { ENVIRONMENT, ...others } =
    await original<typeof import('../../src/ethereum/evm/engine/instructions/environment.ts')>()
  const WEEKDAY: (typeof ENVIRONMENT)[string] = (frame) => frame.push(5)
  const DAYSUM: (typeof ENVIRONMENT)[string] = (frame) =>
    frame.push(toEvmWord(BigInt(frame.pop()) + BigInt(frame.pop())))
  return { ...others, ENVIRONMENT: { ...ENVIRONMENT, WEEKDAY, DAYSUM } }
})

afterAll(() => {
  vi.doUnmock('../../src/ethereum/forks.ts')
  vi.doUnmock('../../src/ethereum/evm/engine/instructions/environment.ts')
  vi.resetModules()
})

const TOMORROW = 'tomorrow' as Hardfork
/** The fork before it. */
const TODAY = HARDFORKS.at(-2)!

const chains: PresealChain[] = []
afterEach(async () => {
  await Promise.all(chains.splice(0).map((chain) => chain.close()))
})

async function start(options: ChainOptions): Promise<PresealChain> {
  const chain = await createChain({ mining: 'manual', ...options })
  chains.push(chain)
  return chain
}

const ASKER: Address = `0x${'a5'.repeat(20)}`

/** Returns the word that WEEKDAY gives. */
const ASKER_CODE: Hex = '0x4b5f5260205ff3'

/** Returns the sum of the numbers from 60,000 down, which DAYSUM adds. */
const SUMMING_CODE = bytecode(
  '#6000 60000 JUMPDEST DUP1 SWAP2 DAYSUM SWAP1 1 SWAP1 SUB DUP1 5 JUMPI POP 0 MSTORE 32 0 RETURN',
)

/** A genesis file in which Tomorrow begins at a time. */
const genesisAt = (tomorrowTime: number): GethGenesis => ({
  config: { ...hardforkConfig(7, TODAY), tomorrowTime },
  alloc: { [ASKER]: { balance: '0x0', code: ASKER_CODE } },
  gasLimit: '0x1c9c380',
  timestamp: '0x64',
})

const ask = ({ standard }: PresealChain) =>
  standard.request({ method: 'eth_call', params: [{ to: ASKER }, 'latest'] })

describe('a fork that is a row and a handler', () => {
  it('is a value of the option hardfork, and not the default', () => {
    expect(resolveOptions({ hardfork: TOMORROW }).hardfork).toBe('tomorrow')
    expect(() => resolveOptions({ hardfork: 'someday' as Hardfork })).toThrow(
      new InvalidOptionError('hardfork', `one of ${HARDFORKS.join(', ')}`),
    )
  })

  it('is a value of the flag, which its help lists', () => {
    expect(parseArguments(['--hardfork', 'tomorrow'])).toMatchObject({
      chainOptions: { hardfork: 'tomorrow' },
    })
    const { help, default: fallback } = OPTIONS['hardfork']!
    expect({ help, fallback }).toEqual({
      help: `${HARDFORKS.slice(0, -1).join(', ')} or tomorrow`,
      fallback: 'osaka',
    })
  })

  it("is a hardfork of Hardhat's networks", () => {
    const user = { type: 'edr-simulated', hardfork: 'tomorrow', preseal: true } as const
    expect(findProblems('net', user, 'generic')).toEqual([])
    const resolved = {
      type: 'edr-simulated',
      accounts: [],
      coinbase: new Uint8Array(20),
      hardfork: 'osaka',
      mining: { auto: true, interval: 0 },
    } as unknown as ResolvedNetwork
    expect(resolveNetwork(user, resolved).preseal?.options.hardfork).toBe('tomorrow')
    expect(findProblems('net', { ...user, hardfork: 'someday' }, 'generic')).toMatchObject([
      { message: `Expected one of ${HARDFORKS.join(', ').replace('paris', 'merge')}` },
    ])
  })

  it('has its field in genesis files', () => {
    const config = hardforkConfig(7, TOMORROW)
    expect(config).toMatchObject({ [`${TODAY}Time`]: 0, tomorrowTime: 0 })
    const rules = createChainRules(genesisAt(200))
    expect([199n, 200n].map((time) => rules.at(1n, time).hardfork)).toEqual([TODAY, 'tomorrow'])
    expect(() => createChainRules({ ...genesisAt(200), config: { chainId: 7, tomorrowTime: 0 } })).toThrow(
      new InvalidOptionError('genesis.config.homesteadBlock', 'a value if tomorrowTime is given'),
    )
    expect(() => createChainRules({ ...genesisAt(200), config: { ...config, [NEXT_FIELD]: 0 } })).toThrow(
      new InvalidOptionError(
        `genesis.config.${NEXT_FIELD}`,
        'no value: forks after Tomorrow are not supported',
      ),
    )
  })

  it('has its opcode', async () => {
    const [today, tomorrow] = await Promise.all(
      [genesisAt(10_000_000_000), genesisAt(0)].map((genesis) => start({ genesis })),
    )
    await expect(ask(today!)).rejects.toThrow(/invalid opcode/)
    expect(BigInt((await ask(tomorrow!)) as Hex)).toBe(5n)
  })

  it('has its opcodes in hot code, which calls the instructions that it does not know', async () => {
    const { compile } = compilation
    const compiled: unknown[] = []
    compilation.compile = (...args) => {
      const code = compile(...args)
      compiled.push(code)
      return code
    }
    const genesis = { ...genesisAt(0), alloc: { [ASKER]: { balance: '0x0', code: SUMMING_CODE } } } as const
    const chain = await start({ genesis })
    const first = await ask(chain)
    await Promise.all(compiled)
    compilation.compile = compile
    expect({ compiled: compiled.length, first, again: await ask(chain) }).toEqual({
      compiled: 1,
      first: word(1_800_030_000),
      again: word(1_800_030_000),
    })
  })

  it('has its field in headers, and in what is read of them', async () => {
    const genesis = genesisAt(0)
    const chain = await start({ genesis })
    await chain.mine()
    const shown = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    expect(shown).toMatchObject({ number: '0x1', dayOfWeek: '0x5' })
    expect(hardforkByHeader(shown as unknown as RemoteBlock)).toBe('tomorrow')

    const { blocks } = await chain.export()
    const decoded = decodeBlock(hexToBytes(blocks), createChainRules(genesis))
    expect((decoded.header as Header & { dayOfWeek: bigint }).dayOfWeek).toBe(5n)
    const transactions = decoded.transactions.map((raw) => ({ raw }))
    expect(encodeBlock({ ...decoded, uncles: [], transactions })).toEqual(hexToBytes(blocks))
  })

  it('is told by what a node says of its fork', () => {
    const current = {
      activationTime: 5,
      precompiles: {},
      systemContracts: { CALENDAR_ADDRESS: `0x${'ca'.repeat(20)}` },
    }
    expect(hardforkByConfig({ current }, 5n)).toBe('tomorrow')
  })

  it('is refused by the second engine, by its name', async () => {
    await expect(start({ hardfork: TOMORROW, engine: 'ethereumjs' })).rejects.toThrow(
      new InvalidOptionError('hardfork', 'one that @ethereumjs has, which tomorrow is not'),
    )
  })
})
