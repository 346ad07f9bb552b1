// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Keeps the ether of its users.
contract Vault {
    address public immutable owner;
    uint256 public limit = 10 ether;
    mapping(address => uint256) public balanceOf;

    error TooMuch(uint256 amount, uint256 limit);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    constructor() {
        owner = msg.sender;
    }

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        if (msg.value > limit) revert TooMuch(msg.value, limit);
        balanceOf[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(balanceOf[msg.sender] >= amount, "too little");
        balanceOf[msg.sender] -= amount;
        (bool sent, ) = msg.sender.call{value: amount}("");
        require(sent, "not sent");
    }

    function setLimit(uint256 to) external onlyOwner {
        limit = to;
    }

    /// In wei.
    function fee(uint256 amount) external pure returns (uint256) {
        return amount < 1 ether ? 0 : amount / 100;
    }
}
