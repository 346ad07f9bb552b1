/** What the wallet asks its user, and who answers. */
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/index.ts'
import { NoPromptError, PromptEndedError } from '../../../src/kits/playwright/errors.ts'
import type { Prompt } from '../../../src/kits/playwright/prompts.ts'
import { DAPP, openDapp, request, transfer, useBrowser } from './support.ts'

const rejected = (method: string) => ({
  name: 'UserRejectedError',
  code: 4001,
  message: `the user rejected the request ${method}`,
})

describe('a prompt', () => {
  useBrowser()

  it('opens for each request that a user decides about, and for no other', async () => {
    const { chain, wallet, page } = await openDapp()
    const prompts: Prompt[] = []
    wallet.onPrompt((prompt) => prompts.push(prompt))
    const [{ address }] = chain.accounts
    const typed = { types: { EIP712Domain: [], A: [] }, primaryType: 'A', domain: {}, message: {} }
    const asset = { type: 'ERC20', options: { address } }
    const calls = { version: '2.0.0', chainId: '0x7a69', atomicRequired: false, calls: [{ to: address }] }
    const asking: readonly [method: string, params?: readonly unknown[]][] = [
      ['eth_requestAccounts'],
      ['wallet_requestPermissions', [{ eth_accounts: {} }]],
      ['eth_sendTransaction', [transfer(chain)]],
      ['eth_signTransaction', [transfer(chain)]],
      ['eth_sign', [address, '0x00']],
      ['personal_sign', ['0x00', address]],
      ['eth_signTypedData_v4', [address, typed]],
      ['wallet_sendCalls', [calls]],
      ['wallet_watchAsset', asset as never],
    ]
    for (const [method, params] of asking) {
      expect(await request(page, method, params)).not.toHaveProperty('code')
    }
    for (const method of [
      'eth_requestAccounts',
      'eth_accounts',
      'eth_blockNumber',
      'wallet_getCapabilities',
    ]) {
      expect(await request(page, method)).not.toHaveProperty('code')
    }
    expect(prompts.map(({ method }) => method)).toEqual(asking.map(([method]) => method))
    expect(prompts.every(({ isOpen }) => !isOpen)).toBe(true)
    const [, , sending] = prompts
    expect([sending!.origin, sending!.params]).toEqual([DAPP, [transfer(chain)]])
    expect([sending!.page, sending!.frame]).toEqual([page, page.mainFrame()])
  })

  it('is rejected with 4001 if the next one is to be, of any method or of one', async () => {
    const { chain, wallet, page } = await openDapp({ connected: true })
    const send = () => request(page, 'eth_sendTransaction', [transfer(chain)])
    wallet.rejectNext('eth_sendTransaction')
    wallet.rejectNext()
    const [{ address }] = chain.accounts
    expect(await request(page, 'personal_sign', ['0x00', address])).toEqual(rejected('personal_sign'))
    expect(await send()).toEqual(rejected('eth_sendTransaction'))
    expect(await send()).toMatch(/^0x\w{64}$/)
    wallet.reject()
    expect([await send(), await send()]).toEqual([
      rejected('eth_sendTransaction'),
      rejected('eth_sendTransaction'),
    ])
    wallet.approve()
    expect(await send()).toMatch(/^0x\w{64}$/)
    expect(await chain.live.request({ method: 'txpool_status' })).toMatchObject({ pending: '0x2' })
  })

  it('is answered by a hook, or by the wallet if none does', async () => {
    const { chain, wallet, page } = await openDapp()
    const [, bob] = chain.accounts
    const seen: string[] = []
    const remove = wallet.onPrompt(async (prompt) => {
      seen.push(prompt.method)
      if (prompt.method === 'eth_requestAccounts') await prompt.approve({ accounts: [bob!.address] })
      if (prompt.method === 'personal_sign') await prompt.reject()
    })
    wallet.onPrompt(({ method }) => seen.push(`second ${method}`))
    expect(await request(page, 'eth_requestAccounts')).toEqual([bob!.address])
    expect(await request(page, 'personal_sign', ['0x00', bob!.address])).toEqual(rejected('personal_sign'))
    expect(await request(page, 'eth_sendTransaction', [transfer(chain, 1)])).toMatch(/^0x/)
    remove()
    expect(await request(page, 'personal_sign', ['0x00', bob!.address])).toMatch(/^0x/)
    expect(seen).toEqual([
      'eth_requestAccounts',
      'personal_sign',
      'eth_sendTransaction',
      'second eth_sendTransaction',
      'second personal_sign',
    ])
  })

  it('is answered by a test that waits for it, whatever the wallet does with others', async () => {
    const { chain, wallet, page } = await openDapp({ connected: true })
    const waiting = wallet.waitForPrompt('eth_sendTransaction')
    const sending = request(page, 'eth_sendTransaction', [transfer(chain)])
    const prompt = await waiting
    expect([prompt.isOpen, wallet.openPrompts]).toEqual([true, [prompt]])
    // Another prompt is not delayed by it.
    expect(await request(page, 'personal_sign', ['0x00', chain.accounts[0].address])).toMatch(/^0x/)
    await prompt.approve()
    expect(await chain.live.request({ method: 'txpool_status' })).toMatchObject({ pending: '0x1' })
    expect(await sending).toMatch(/^0x/)
    expect([prompt.isOpen, wallet.openPrompts]).toEqual([false, []])
    await expect(prompt.reject()).rejects.toThrow(
      new PromptEndedError('eth_sendTransaction', 'it was answered'),
    )
  })

  it('stays open if the wallet holds, until the test finds it', async () => {
    const { chain, wallet, page } = await openDapp({ connected: true, prompts: 'hold' })
    const sending = [0, 1].map((nonce) =>
      request(page, 'eth_sendTransaction', [{ ...transfer(chain), nonce: `0x${nonce}` }]),
    )
    const first = await wallet.waitForPrompt()
    const second = await wallet.waitForPrompt('eth_sendTransaction')
    expect(wallet.openPrompts).toEqual([first, second])
    await Promise.all([second.reject(), first.approve()])
    const answers = await Promise.all(sending)
    expect(answers).toEqual([expect.stringMatching(/^0x/), rejected('eth_sendTransaction')])
  })

  it('is asked once for pages that ask twice to connect', async () => {
    const { chain, wallet, page } = await openDapp({ prompts: 'hold' })
    const asking = [request(page, 'eth_requestAccounts'), request(page, 'eth_requestAccounts')]
    const prompt = await wallet.waitForPrompt()
    await request(page, 'eth_chainId')
    expect(wallet.openPrompts).toEqual([prompt])
    await prompt.approve()
    const { address } = chain.accounts[0]
    expect(await Promise.all(asking)).toEqual([[address], [address]])
  })

  it('is rejected with 4001 if it is not answered in time', async () => {
    const { wallet, page } = await openDapp({ prompts: 'hold', promptTimeout: 1 })
    const seen: Prompt[] = []
    wallet.onPrompt((prompt) => seen.push(prompt))
    expect(await request(page, 'eth_requestAccounts')).toEqual({
      name: 'PromptTimeoutError',
      code: 4001,
      message: 'the prompt for eth_requestAccounts was not answered within 1 ms',
    })
    await expect(seen[0]!.approve()).rejects.toThrow(
      new PromptEndedError('eth_requestAccounts', 'it was not answered within 1 ms'),
    )
  })

  it('is rejected with 4001 if a hook does not end in time', async () => {
    const { wallet, page } = await openDapp({ promptTimeout: 1 })
    wallet.onPrompt(() => new Promise(() => {}))
    expect(await request(page, 'eth_requestAccounts')).toMatchObject({
      name: 'PromptTimeoutError',
      code: 4001,
    })
  })

  it("is answered after a delay of the chain's clock, which the timeout does not cut short", async () => {
    const { chain, wallet, page } = await openDapp({ promptTimeout: 1 })
    wallet.delay(60_000)
    const asking = request(page, 'eth_requestAccounts')
    // An answer of the page: the request before it has arrived.
    await request(page, 'eth_chainId')
    await chain.advance(59_999)
    expect(wallet.openPrompts.map(({ method }) => method)).toEqual(['eth_requestAccounts'])
    await chain.advance(1)
    expect(await asking).toEqual([chain.accounts[0].address])
    wallet.delay(0)
    expect(await request(page, 'personal_sign', ['0x00', chain.accounts[0].address])).toMatch(/^0x/)
    expect(() => wallet.delay(-1)).toThrow(new InvalidOptionError('ms', 'an integer from 0 to 2147483647'))
  })

  it('ends without an answer if its page is closed, reloaded, or its frame removed', async () => {
    const { wallet, page, context } = await openDapp({ prompts: 'hold', connected: false })
    const prompts: Prompt[] = []
    const open = async (document: Parameters<typeof request>[0]) => {
      request(document, 'eth_requestAccounts').catch(() => 'the document has gone')
      prompts.push(await wallet.waitForPrompt())
    }
    await open(page)
    await page.reload()
    await request(page, 'eth_chainId')
    await page.goto(`${DAPP}/nested`)
    await open(page.frame('other')!)
    await page.evaluate("document.querySelector('[name=other]').remove()")
    await open(page)
    await page.close()
    const second = await context.newPage()
    await second.goto(DAPP)
    await open(second)
    await context.close()
    const reasons = await Promise.all(
      prompts.map((prompt) => prompt.approve().catch(({ message }) => message)),
    )
    expect(reasons).toEqual([
      'the prompt for eth_requestAccounts is not open: its page navigated',
      'the prompt for eth_requestAccounts is not open: its frame was removed',
      'the prompt for eth_requestAccounts is not open: its page was closed',
      'the prompt for eth_requestAccounts is not open: its page was closed',
    ])
    expect(wallet.openPrompts).toEqual([])
  })

  it('that does not open fails the wait for it', async () => {
    const { wallets, wallet } = await openDapp()
    await expect(wallet.waitForPrompt('eth_sendTransaction', { timeout: 1 })).rejects.toThrow(
      new NoPromptError('eth_sendTransaction', 'within 1 ms'),
    )
    const waiting = wallet.waitForPrompt()
    await wallets.end()
    await expect(waiting).rejects.toThrow(new NoPromptError(undefined, 'before the test ended'))
  })

  it('is rejected if a hook throws, and the error fails the test', async () => {
    const { wallets, wallet, page } = await openDapp()
    const failure = new Error('of the hook')
    const remove = wallet.onPrompt(() => Promise.reject(failure))
    expect(await request(page, 'eth_requestAccounts')).toEqual(rejected('eth_requestAccounts'))
    remove()
    expect(await request(page, 'eth_requestAccounts')).toHaveLength(1)
    await expect(wallets.end()).rejects.toBe(failure)
  })
})
