/** Cases that no RPC method reaches: blocks off the canonical chain, and a tip that moves during a read. */

import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash, ViewKind } from '../../../src/base/types.ts'
import { nextAttributes } from '../../../src/core/block/attributes.ts'
import { startPayload } from '../../../src/core/block/blockBuilder.ts'
import { type PayloadConfig, toExecuted } from '../../../src/core/block/payload.ts'
import { NO_SETTINGS } from '../../../src/core/block/settings.ts'
import { BlockImporter } from '../../../src/core/import/importBlocks.ts'
import { Canonical } from '../../../src/core/ledger/canonical.ts'
import { BlockStore } from '../../../src/core/ledger/ethereumjs/blockStore.ts'
import { Ledger, type SealedEntry } from '../../../src/core/ledger/ledger.ts'
import type { Core } from '../../../src/core/open/core.ts'
import { buildGenesis, toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { ChainBase, Tip } from '../../../src/core/sequencer/tip.ts'
import { Reexecutions } from '../../../src/core/trace/reexecution.ts'
import type { ViewSources } from '../../../src/core/view/sources.ts'
import { View } from '../../../src/core/view/view.ts'
import { decodeTransaction } from '../../../src/ethereum/decodeTransaction.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { createChainRules } from '../../../src/ethereum/rules.ts'
import { changesSince } from '../../../src/ethereum/state/layer.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ANVIL_CHAIN } from '../cheats/anvilChain.ts'
import { LOGGING, RECIPIENT, send } from '../sequencer/support.ts'

/** A genesis with two sibling blocks, the first of which is canonical, and a preconf block on it. */
async function startFork() {
  const crypto = await loadCrypto()
  const options = resolveOptions()
  const gethGenesis = toGethGenesis(options, [], 1_700_000_000n)
  const rules = createChainRules(gethGenesis)
  const genesis = buildGenesis(gethGenesis, rules, crypto)
  const store = new BlockStore()
  await store.begin(genesis.block, rules)
  const ledger = new Ledger(store, rules, (raw, at, sender) => decodeTransaction(raw, at, crypto, sender), {
    blocks: 100,
    proofs: 100,
  })
  const world = new WorldState()
  const executor = createExecutor(createPresealEngine(crypto), crypto)
  const config: PayloadConfig = {
    executor,
    crypto,
    rules,
    options,
    depositContract: DEPOSIT_CONTRACT.address as Address,
    clock: systemClock,
  }

  const first = { block: genesis.block, state: world.commit(genesis.changes), stateTrie: genesis.stateTrie }
  ledger.append(first, () => undefined)
  const root = new Canonical([genesis.block.hash])
  const buildOn = (parent: SealedEntry, canonical: Canonical, seconds: bigint) =>
    startPayload(
      config,
      { ...parent, stateTrie: parent.stateTrie!, hashAt: (at) => canonical.at(at) },
      nextAttributes({ options, config }, parent.block, 1000 * Number(parent.block.timestamp + seconds)),
    )
  const seal = async (parent: SealedEntry, canonical: Canonical, seconds: bigint): Promise<SealedEntry> => {
    const { block, state, stateTrie } = toExecuted(await buildOn(parent, canonical, seconds))
    const entry = { block, state: world.commit(changesSince(state, parent.state)), stateTrie }
    ledger.append(entry, (at) => canonical.append(block.hash).at(at))
    return entry
  }
  const sibling = await seal(first, root, 7n)
  const head = await seal(first, root, 1n)
  const canonical = root.append(head.block.hash)
  const preconf = await buildOn(head, canonical, 1n)
  const base: ChainBase = {
    options,
    config,
    world,
    ledger,
    importer: new BlockImporter({ config, ledger, decode: decodeTransaction }),
    reexecutions: new Reexecutions(executor),
    first,
    firstSettings: () => NO_SETTINGS,
    geth: gethGenesis,
    genesisAccounts: genesis.changes.accounts,
    fork: undefined,
    isLoaded: false,
  }
  let tip: Tip = {
    base,
    head,
    preconf,
    preconfBlocks: [preconf],
    previousPreconfBlocks: [],
    canonical,
    settings: NO_SETTINGS,
  }
  const sources: ViewSources = {
    sequencer: {
      get tip() {
        return tip
      },
      nextAttributes: ({ head: { block }, settings }) =>
        nextAttributes(base, block, 1000 * Number(block.timestamp + 1n), settings),
    },
    mempool: { contiguousNonce: (_address, from) => from },
  }
  const view = (kind: ViewKind) =>
    new View(kind, { defaultBlock: 'latest', pendingNonce: 'preconf' }, sources)
  const advance = async () => {
    const next = await seal(head, canonical, 1n)
    const longer = canonical.append(next.block.hash)
    const after = await buildOn(next, longer, 1n)
    tip = {
      base,
      head: next,
      preconf: after,
      preconfBlocks: [after],
      previousPreconfBlocks: tip.preconfBlocks,
      canonical: longer,
      settings: NO_SETTINGS,
    }
  }
  return { view, sibling, head, preconf, advance }
}

const byHash = (hash: Hash, requireCanonical = false) => ({ kind: 'hash', hash, requireCanonical }) as const

describe('view', () => {
  it('finds a block off the chain by its hash, unless it must be canonical, and never by number', async () => {
    const { view, sibling, head } = await startFork()
    for (const kind of ['standard', 'preconf'] as const) {
      const viewed = view(kind).capture()
      expect((await viewed.find(byHash(sibling.block.hash)))?.block).toBe(sibling.block)
      expect(await viewed.find(byHash(sibling.block.hash, true))).toBeUndefined()
      expect(() => viewed.require(byHash(sibling.block.hash, true))).toThrow('header not found')
      expect((await viewed.find(byHash(head.block.hash, true)))?.block).toBe(head.block)
      expect((await viewed.find({ kind: 'number', number: 1n }))?.block).toBe(head.block)
    }
  })

  it('reads the captured tip while the chain advances', async () => {
    const { view, head, preconf, advance } = await startFork()
    const [standard, onPreconf] = [view('standard').capture(), view('preconf').capture()]
    const read = async () => ({
      latest: (await standard.find({ kind: 'tag', tag: 'latest' }))?.block.hash,
      two: [
        (await standard.find({ kind: 'number', number: 2n }))?.block.hash,
        (await onPreconf.find({ kind: 'number', number: 2n }))?.block.hash,
      ],
      pending: onPreconf.pending.block.hash,
      candidate: standard.pending.block.number,
      recent: standard.recent(10).map(({ number }) => number),
      range: onPreconf.logRange({ kind: 'number', number: 0n }, { kind: 'tag', tag: 'latest' }),
    })
    const before = await read()
    expect(before).toEqual({
      latest: head.block.hash,
      two: [undefined, preconf.block.hash],
      pending: preconf.block.hash,
      candidate: 2n,
      recent: [1n, 0n],
      range: { from: 0n, to: 1n, pending: false },
    })
    await advance()
    expect(await read()).toEqual(before)
    const now = view('preconf').capture()
    expect((await now.find({ kind: 'tag', tag: 'latest' }))?.block.number).toBe(2n)
    expect((await now.find(byHash(preconf.block.hash)))?.block.number).toBe(2n)
    expect(now.recent(2).map(({ number }) => number)).toEqual([2n, 1n])
  })

  it('reads what the captured tip is built on after the chain has begun again', async () => {
    let core: Core | undefined
    const chain = await startChain({}, { inspect: (opened) => (core = opened) })
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    const { block } = await chain.seal()
    const standard = new View('standard', { defaultBlock: 'latest', pendingNonce: 'preconf' }, core!)
    const viewed = standard.capture()
    const read = async () => ({
      place: viewed.findTransaction(hash)?.block.hash,
      one: (await viewed.require({ kind: 'number', number: 1n })).block.hash,
      balance: viewed.head.state.account(RECIPIENT)?.balance,
      pending: viewed.pending.env.number,
      baseFee: viewed.nextBaseFee(viewed.tip.head.block),
    })
    const before = await read()
    expect(before).toMatchObject({ place: block.hash, one: block.hash, pending: 2n })
    expect(await ask(chain.standard, 'anvil_loadState', [ANVIL_CHAIN])).toBe(true)
    expect(await read()).toEqual(before)
    const now = standard.capture()
    expect(now.tip.base).not.toBe(viewed.tip.base)
    expect([now.head.block.number, now.findTransaction(hash)]).toEqual([8n, undefined])
  })

  it("executes on a sealed block in that block's own context, on `pending` of standard in the next one's", async () => {
    const { view, head } = await startFork()
    const { env } = view('standard').capture().head
    expect([env.number, env.timestamp, env.prevRandao]).toEqual([
      1n,
      head.block.timestamp,
      head.block.header.mixHash,
    ])
    expect(env.blockHash(0n)).toBe(head.block.header.parentHash)
    const candidate = view('standard').capture().pending
    expect([candidate.kind, candidate.env.number, candidate.env.blockHash(1n), candidate.state]).toEqual([
      'candidate',
      2n,
      head.block.hash,
      head.state,
    ])
  })
})
