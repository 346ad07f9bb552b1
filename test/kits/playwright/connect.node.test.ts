/** Which accounts and which chain a page gets from the wallet. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChain, createManualClock, InvalidOptionError } from '../../../src/index.ts'
import { eventsOf, openContext, openDapp, recordEvents, request, transfer, useBrowser } from './support.ts'

const OTHER = 'http://other.test'

describe('the accounts of a page', () => {
  useBrowser()

  it('are none until the page asks for them and the wallet approves', async () => {
    const { chain, page } = await openDapp()
    const [alice] = chain.accounts
    await recordEvents(page)
    expect(await request(page, 'eth_accounts')).toEqual([])
    expect(await request(page, 'wallet_getPermissions')).toEqual([])
    const notConnected = {
      name: 'NotConnectedError',
      code: 4100,
      message: 'not connected: expected eth_requestAccounts first',
    }
    expect(await request(page, 'eth_sendTransaction', [transfer(chain)])).toEqual(notConnected)
    expect(await request(page, 'eth_sendTransaction', [{}])).toEqual(notConnected)
    expect(await request(page, 'personal_sign', ['0x00', alice.address])).toEqual(notConnected)
    expect(await request(page, 'eth_requestAccounts')).toEqual([alice.address])
    expect(await request(page, 'eth_accounts')).toEqual([alice.address])
    const bob = chain.accounts[1]!.address
    expect(await request(page, 'personal_sign', ['0x00', bob])).toEqual({
      name: 'UnknownAccountError',
      code: 4100,
      message: `unknown account ${bob}`,
    })
    expect(await request(page, 'wallet_getPermissions')).toEqual([
      {
        invoker: 'http://dapp.test',
        parentCapability: 'eth_accounts',
        caveats: [{ type: 'restrictReturnedAccounts', value: [alice.address] }],
      },
    ])
    expect(await eventsOf(page, 1)).toEqual([['accountsChanged', [alice.address]]])
  })

  it('are shared by the pages of an origin, and not by another origin nor another context', async () => {
    const { chain, wallets, wallet, context, page } = await openDapp()
    const [alice, bob] = chain.accounts
    const same = await context.newPage()
    await same.goto('http://dapp.test/second')
    const foreign = await context.newPage()
    await foreign.goto(OTHER)
    const context2 = await openContext(wallets)
    const elsewhere = await context2.newPage()
    await elsewhere.goto('http://dapp.test')
    await recordEvents(same)
    await request(page, 'eth_requestAccounts')
    expect(await eventsOf(same, 1)).toEqual([['accountsChanged', [alice.address]]])
    expect(await request(foreign, 'eth_accounts')).toEqual([])
    expect(await request(elsewhere, 'eth_accounts')).toEqual([])

    const bobs = await wallet.inContext(context2)
    expect(bobs).not.toBe(wallet)
    expect([bobs.context, await wallets.inContext(context)]).toEqual([context2, wallet])
    await bobs.switchAccount(1)
    expect(await request(elsewhere, 'eth_requestAccounts')).toEqual([bob!.address])
    expect(await request(page, 'eth_accounts')).toEqual([alice.address])
    const hash = await request(elsewhere, 'eth_sendTransaction', [transfer(chain, 1, 0)])
    await chain.tick()
    expect(await request(page, 'eth_getTransactionByHash', [hash])).toMatchObject({ from: bob!.address })
  })

  it('are connected and disconnected by the test, at one origin or all', async () => {
    const { chain, wallet, context, page } = await openDapp({ connected: true, account: 2 })
    const [alice, bob, carol] = chain.accounts.map(({ address }) => address)
    await recordEvents(page)
    expect([wallet.account, await request(page, 'eth_accounts')]).toEqual([carol, [carol]])
    await wallet.connect({ accounts: [0, bob!, 0], origin: 'http://dapp.test' })
    const foreign = await context.newPage()
    await foreign.goto(OTHER)
    expect(await request(foreign, 'eth_accounts')).toEqual([carol])
    wallet.disconnect()
    expect(await request(foreign, 'eth_accounts')).toEqual([])
    await wallet.connect()
    expect(await request(foreign, 'eth_accounts')).toEqual([carol])
    wallet.disconnect({ origin: OTHER })
    expect(await request(foreign, 'eth_accounts')).toEqual([])
    expect(await eventsOf(page, 3)).toEqual([
      ['accountsChanged', [alice, bob]],
      ['accountsChanged', []],
      ['accountsChanged', [carol]],
    ])
  })

  it('are revoked by the page, which has to ask again', async () => {
    const { chain, wallet, page } = await openDapp({ connected: true })
    const [alice] = chain.accounts
    await recordEvents(page)
    expect(await request(page, 'wallet_revokePermissions', [{ eth_accounts: {} }])).toBe(null)
    wallet.rejectNext()
    expect(await request(page, 'wallet_requestPermissions', [{ eth_accounts: {} }])).toMatchObject({
      code: 4001,
    })
    expect(await request(page, 'wallet_requestPermissions', [{ eth_accounts: {} }])).toMatchObject([
      { parentCapability: 'eth_accounts' },
    ])
    expect(await eventsOf(page, 2)).toEqual([
      ['accountsChanged', []],
      ['accountsChanged', [alice.address]],
    ])
  })

  it('begin with the one that the wallet switches to, also one that the chain impersonates', async () => {
    const { chain, wallet, page } = await openDapp({ connected: true })
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const whale = '0x00000000000000000000000000000000000000aa'
    await recordEvents(page)
    await wallet.switchAccount(1)
    await expect(wallet.switchAccount(whale)).rejects.toThrow(
      new InvalidOptionError('account', 'an account of the chain, or one that it impersonates'),
    )
    await expect(wallet.switchAccount(10)).rejects.toThrow(
      new InvalidOptionError('account', 'an index below 10'),
    )
    await chain.impersonateAccount(whale)
    await chain.setBalance(whale, 10n ** 18n)
    await wallet.switchAccount(whale)
    expect(await eventsOf(page, 2)).toEqual([
      ['accountsChanged', [bob, alice]],
      ['accountsChanged', [whale, bob, alice]],
    ])
    const hash = await request(page, 'eth_sendTransaction', [{ to: bob, value: '0x1' }])
    await chain.tick()
    expect(await request(page, 'eth_getTransactionByHash', [hash])).toMatchObject({ from: whale })
  })

  it('are refused with 4100 on a chain that has none', async () => {
    const { wallet, page } = await openDapp({ chain: { accounts: [] } })
    expect(wallet.account).toBe(undefined)
    expect(await request(page, 'eth_requestAccounts')).toEqual({
      name: 'NoWalletAccountError',
      code: 4100,
      message: 'the wallet has no account: expected a chain with accounts',
    })
    await expect(wallet.connect()).rejects.toThrow(new InvalidOptionError('accounts', 'at least one account'))
    expect(await request(page, 'wallet_sendCalls', [{}])).toMatchObject({ code: 4100 })
  })
})

describe('the chain of a page', () => {
  useBrowser()

  it('is switched by the test, with errors that say so where it has no node', async () => {
    const { chain, wallet, page, openConnections } = await openDapp({ connected: true })
    await recordEvents(page)
    await request(page, 'eth_subscribe', ['newHeads'])
    wallet.switchChain(1)
    wallet.switchChain(1)
    expect([wallet.chainId, openConnections()]).toEqual([1, 1])
    expect([await request(page, 'eth_chainId'), await request(page, 'net_version')]).toEqual(['0x1', '1'])
    const error = {
      name: 'ChainNotServedError',
      code: 4901,
      message: 'the wallet is on chain 1, which has no node: expected a chain passed to wallet.addChain',
    }
    expect(await request(page, 'eth_blockNumber')).toEqual(error)
    expect(await request(page, 'eth_sendTransaction', [transfer(chain)])).toEqual(error)
    expect(await request(page, 'personal_sign', ['0x00', chain.accounts[0].address])).toMatch(/^0x\w{130}$/)
    await chain.seal()
    wallet.switchChain(31_337)
    expect(await request(page, 'eth_blockNumber')).toBe('0x1')
    // No head of the time between: the subscription has ended.
    expect(await eventsOf(page, 2)).toEqual([
      ['chainChanged', '0x1'],
      ['chainChanged', '0x7a69'],
    ])
  })

  it('is switched by the page, to one that was added, with a prompt', async () => {
    const { wallet, page } = await openDapp({ connected: true })
    const other = await createChain({ chainId: 8453, mining: 'manual', clock: createManualClock() })
    onTestFinished(() => other.close())
    await recordEvents(page)
    const methods: string[] = []
    wallet.onPrompt(({ method }) => methods.push(method))
    const toBase = [{ chainId: '0x2105' }]
    expect(await request(page, 'wallet_switchEthereumChain', toBase)).toEqual({
      name: 'UnrecognizedChainError',
      code: 4902,
      message: 'unrecognized chain ID 0x2105',
    })
    wallet.addChain(other)
    await other.seal()
    expect(await request(page, 'wallet_switchEthereumChain', toBase)).toBe(null)
    expect(await request(page, 'wallet_switchEthereumChain', toBase)).toBe(null)
    expect([wallet.chainId, await request(page, 'eth_blockNumber')]).toEqual([8453, '0x1'])
    wallet.rejectNext()
    const added = [{ chainId: '0xa', chainName: 'Other', rpcUrls: ['http://localhost:1'] }]
    expect(await request(page, 'wallet_addEthereumChain', added)).toMatchObject({ code: 4001 })
    expect(await request(page, 'wallet_addEthereumChain', added)).toBe(null)
    wallet.addChain(11)
    expect(await request(page, 'wallet_switchEthereumChain', [{ chainId: '0xb' }])).toBe(null)
    expect(methods).toEqual([
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'wallet_addEthereumChain',
      'wallet_switchEthereumChain',
    ])
    expect(await eventsOf(page, 3)).toEqual([
      ['chainChanged', '0x2105'],
      ['chainChanged', '0xa'],
      ['chainChanged', '0xb'],
    ])
  })

  it('follows the id that a cheat sets', async () => {
    const { chain, wallet, page } = await openDapp()
    await recordEvents(page)
    await chain.standard.request({ method: 'anvil_setChainId', params: [7] })
    expect(await eventsOf(page, 1)).toEqual([['chainChanged', '0x7']])
    expect([wallet.chainId, await request(page, 'eth_chainId')]).toEqual([7, '0x7'])
  })

  it('is an id or a chain', async () => {
    const { wallet } = await openDapp()
    expect(() => wallet.switchChain(0)).toThrow(
      new InvalidOptionError('chainId', 'an integer from 1 to 2^53 - 1'),
    )
    expect(() => wallet.addChain({} as never)).toThrow(
      new InvalidOptionError('chain', 'a chain, or the id of one without a node'),
    )
  })
})
